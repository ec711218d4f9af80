export { type CountedRecord, clickCounts, toCounts } from './daily-counts.ts';
export { addCounts, type LinkSums, sumLinkCounts } from './queries.ts';
export type { StatisticsCtx } from './statistics-ctx.ts';
