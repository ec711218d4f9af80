export { Journal, JournalFull, type JournalLimits } from './journal.ts';
export { type Damage, damagedNumber, isAtOrAfter, type Position } from './segment.ts';
