export { type AccuracyCounts, createAccuracyCounts } from './accuracy/accuracy-counts.ts';
export { type Finding, LEAST_THRESHOLD, percentOf } from './accuracy/count.ts';
export { COHORT_DAYS } from './cohorts.ts';
export { createDailyUsage, type DailyUsage, type Usage, type UsageKey } from './daily-usage.ts';
export { NETWORKS } from './dimensions.ts';
export { createFolder, startFolding } from './fold-pending.ts';
export { countLateClaim } from './late-claims.ts';
export {
  activityCount,
  type CountedEvent,
  type CountedRecord,
  clickCounts,
  eventCounts,
  type FirstPurchase,
  firstPurchaseOf,
  insertCounts,
  installCounts,
  movedClickCounts,
  openCounts,
  type PendingCount,
  purchaseCounts,
} from './pending.ts';
export { countPending } from './pending-queries.ts';
export { forgetInviterCells } from './place-queries.ts';
export {
  addUsage,
  countLinks,
  countOfLink,
  deleteOldUsage,
  type LinkCounts,
  sumLinkCounts,
} from './queries.ts';
export { sandboxOf } from './read-stats.ts';
export { createRecordCounters, type RecordCounters } from './record-counters.ts';
export { Revenue } from './revenue.ts';
export { readServiceQuarters } from './service-quarters.ts';
export { MAX_UTM_CHARACTERS, UTM_FIELDS, utmIn } from './utm.ts';
