export { adoptSegments } from './adopt.ts';
export { Journal, JournalFull, type JournalLimits } from './journal.ts';
export { isAtOrAfter, type Position } from './position.ts';
export { type Damage, damagedNumber } from './segment.ts';
