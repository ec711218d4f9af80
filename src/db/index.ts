export * from '../schema/flag.ts';
export { type PartitionedTable, PERIOD_OF } from '../schema/partitioned-tables.ts';
export * from '../schema/tables.ts';
export { type ClusterNode, forEachReachable, listNodesAway, onEachNode, onSomeNode } from './citus/nodes.ts';
export { createPartitionsAhead } from './create-partitions.ts';
export { startDailyVacuum } from './daily-vacuum.ts';
export * from './drop-old.ts';
export { isAmong, isAmongTexts, isShared, jsonText, lockUntilCommit, useCustomPlan } from './engine.ts';
export { faultReason, NO_CONNECTIONS } from './fault-reason.ts';
export { isDamage, isDataFault, isNodeAway, isUnavailable, isUniqueViolation } from './faults.ts';
export { conditionOf, DATABASE_BACK } from './known-condition.ts';
export * from './lease.ts';
export { listInRanges, listUpwardsInRanges } from './list-in-ranges.ts';
export { listTableNames } from './list-table-names.ts';
export { expectRows, insertMany, insertRows, listByKeys } from './many-rows.ts';
export { countAppliedMigrations, explainNewerData } from './migrate.ts';
export type { Observe } from './observe.ts';
export { openMigrated, toStartError } from './open-migrated.ts';
export { databaseFile, openStore } from './open-store.ts';
export { linesOf, parseRows, readRow, type TextRow, toRowText } from './row-text.ts';
export { backUpSqlite, countSqliteRows } from './sqlite/back-up.ts';
export type {
  ColumnTypes,
  CountedBy,
  Db,
  Migrations,
  NewRows,
  RateWindow,
  RowCounts,
  Store,
  Transaction,
  Write,
} from './store.ts';
