export { type Answer, type AnswerReason, chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
