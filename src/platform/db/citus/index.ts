export { type Distributed, type DistributeOptions, distributeTables } from './distribute-tables.ts';
export { refusePartlySpread } from './spread.ts';
