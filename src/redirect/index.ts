export { type Answer, type AnswerReason, chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
export { linkByPlatform } from './link-by-platform.ts';
export { TAP_ROUTE } from './routes.ts';
