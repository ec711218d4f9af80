export { type Answer, type AnswerReason, chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
export { readClipboardToken } from './landing/clipboard-token.ts';
