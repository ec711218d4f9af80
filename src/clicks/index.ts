export { adoptJournals, journalDirectory } from './adopt-journals.ts';
export { type AwaitingCtx, awaitFreshClick } from './await-click.ts';
export { type Answer, type AnswerReason, chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
export type { ClickRow } from './click.ts';
export { type ClickLog, openClickLog } from './click-log.ts';
export { ClickWaits } from './click-waits.ts';
export { dropOldClicks, dropOldJournals, dropOldTombstones } from './drop-old.ts';
export { setTombstones } from './erased-addresses.ts';
export { createJournalFlushes, type JournalFlushes } from './journal-flushes.ts';
export { readClipboardToken } from './landing/index.ts';
export { clicksOfPerson } from './personal-data.ts';
export {
  type Claimant,
  claimClick,
  findClick,
  listClicks,
  listClicksByAddress,
  listHits,
  releaseClicks,
} from './queries.ts';
export { withSiblings } from './siblings-click-log.ts';
export {
  CLAIMABLE_VISITORS,
  classifyVisitor,
  MAX_USER_AGENT_CHARACTERS,
} from './visitor.ts';
