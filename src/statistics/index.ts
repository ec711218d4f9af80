export { type CountedRecord, clickCounts, toCounts } from './daily-counts.ts';
export { addCounts } from './queries.ts';
