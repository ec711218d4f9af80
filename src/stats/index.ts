export { type CountedRecord, clickCounts, toCounts } from './daily-counts.ts';
export { createDailyUsage, type DailyUsage, type Usage, type UsageKey } from './daily-usage.ts';
export { addCounts, deleteOldUsage, type LinkSums, subtractCounts, sumLinkCounts } from './queries.ts';
