/** Drops expired data: whole partitions where the engine has them, other rows in small batches. */

import { type Clock, DAY_MS, isoTime, startOf } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import { type PartitionedTable, PERIOD_OF } from '../schema/partitioned-tables.ts';
import type { Database } from '../schema/tables.ts';
import { isAmong } from './engine.ts';
import type { Db, Store } from './store.ts';

/**
 * Repeats `step` for each app until it changes no row. Throws if another process has taken over.
 * @param step changes at most `limit` rows and returns their number.
 */
export type ForEachApp = (step: (appId: string, limit: number) => Promise<number>) => Promise<void>;

/** Start of the oldest period to keep: a day or month is dropped only as a whole. */
export function retentionStart(
  { clock }: { clock: Clock },
  table: PartitionedTable,
  keptDays: number,
): number {
  return startOf(PERIOD_OF[table], clock.nowMs() - keptDays * DAY_MS);
}

/**
 * Drops the rows older than `beforeMs`.
 * @returns false if some are left because a transaction holds their partition.
 */
export async function dropOldRows(
  { db, store, log }: { db: Db; store: Store; log: Log },
  table: PartitionedTable,
  { beforeMs, forEachApp }: { beforeMs: number; forEachApp: ForEachApp },
): Promise<boolean> {
  const isComplete = await store.dropPartitions(table, beforeMs);
  const rest = store.defaultPartition(table);
  await dropForEachApp({ log }, { table, beforeMs, forEachApp }, (appId, limit) =>
    deleteOldRows(db, rest, appId, { beforeMs, limit }),
  );
  return isComplete;
}

/** Runs `step` for each app and logs the total, even when interrupted. */
export async function dropForEachApp(
  { log }: { log: Log },
  { table, beforeMs, forEachApp }: { table: keyof Database; beforeMs: number; forEachApp: ForEachApp },
  step: (appId: string, limit: number) => Promise<number>,
): Promise<void> {
  let rows = 0;
  try {
    await forEachApp(async (appId, limit) => {
      const dropped = await step(appId, limit);
      rows += dropped;
      return dropped;
    });
  } finally {
    logDropped({ log }, { table, rows, before: isoTime(beforeMs) });
  }
}

/** @param dropped `before` is an ISO 8601 time. */
export function logDropped(
  { log }: { log: Log },
  dropped: { readonly table: keyof Database; readonly rows: number; readonly before: string },
): void {
  if (dropped.rows > 0) log.info(dropped, 'Dropped old rows');
}

/** UUIDv7 ids carry the time of a row. */
type DatedTable = {
  [T in keyof Database]: Database[T] extends { app_id: string; id: string } ? T : never;
}[keyof Database];

/** Deletes up to `limit` rows of an app older than `beforeMs`, oldest first. @returns their number. */
async function deleteOldRows(
  db: Db,
  table: DatedTable,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom<DatedTable>(table)
    .select('id')
    .where('app_id', '=', appId)
    .where('id', '<', leastIdAt(beforeMs))
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom<DatedTable>(table)
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
