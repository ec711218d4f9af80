export type { BytesByApp } from './app-bytes.ts';
export { Journal, type JournalLimits } from './journal.ts';
export { JournalFull, ShareUsed } from './journal-full.ts';
export { listJournalIds } from './list-ids.ts';
export { type Damage, isAtOrAfter, type Position, segmentFile } from './segment.ts';
