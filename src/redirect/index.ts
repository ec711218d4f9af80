export { type Answer, type AnswerReason, chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
export { TAP_ROUTE } from './routes.ts';
