export { distributeTables } from './distribute-tables.ts';
export { TABLES } from './placements.ts';
export { refusePartlySpread } from './spread.ts';
