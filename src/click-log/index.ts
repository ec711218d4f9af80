export { awaitFreshClick, type ClickWaiting } from './await-click.ts';
export type { ClickRow } from './click.ts';
export { type ClickLog, journalDirectory, openClickLog } from './click-log.ts';
export { ClickWaits } from './click-waits.ts';
export { dropOldClicks, dropOldJournals, dropOldTombstones } from './drop-old.ts';
export { setTombstones } from './erased-addresses.ts';
export { listJournalIds, segmentFile } from './journal/index.ts';
export { createJournalFlushes, type JournalFlushes } from './journal-flushes.ts';
export { clicksOfPerson } from './personal-data.ts';
export {
  type Claimant,
  claimClick,
  describeClick,
  findClick,
  listClicksByAddress,
  listClicksInRange,
  releaseClicks,
} from './queries.ts';
