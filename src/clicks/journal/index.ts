export { adoptSegments } from './adopt.ts';
export { Journal, JournalFull, type JournalLimits, type Position } from './journal.ts';
