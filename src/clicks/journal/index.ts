export { adoptSegments } from './adopt.ts';
export { isAtOrAfter, Journal, JournalFull, type JournalLimits, type Position } from './journal.ts';
export { type Damage, damagedNumber } from './segment.ts';
