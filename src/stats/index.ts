export { COHORT_DAYS } from './cohorts.ts';
export { createDailyUsage, type DailyUsage, type Usage, type UsageKey } from './daily-usage.ts';
export {
  activityFact,
  type CountedEvent,
  type CountedRecord,
  clickFacts,
  eventFacts,
  insertFacts,
  installFacts,
  openFacts,
  type PendingCount,
} from './pending.ts';
export { createFolder, startFolding } from './fold-pending.ts';
export { countPending } from './pending-queries.ts';
export { deleteOldUsage, type LinkSums, listLinkTotals, sumLinkCounts } from './queries.ts';
export { sandboxOf } from './read-stats.ts';
export { MAX_REVENUE_DECIMALS, MAX_REVENUE_DIGITS, Revenue } from './revenue-schema.ts';
