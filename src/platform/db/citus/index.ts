export { type Distributed, distributeTables } from './distribute-tables.ts';
export { refusePartlySpread } from './spread.ts';
