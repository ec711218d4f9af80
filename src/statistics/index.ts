export { type CountedRecord, clickCounts, toCounts } from './daily-counts.ts';
export { createDailyUsage, type DailyUsage, type UsageKey } from './daily-usage.ts';
export { addCounts, deleteOldUsage, subtractCounts } from './queries.ts';
