/** Drops expired data: whole partitions where the engine has them, other rows in small batches. */

import type { Ctx } from '../ctx.ts';
import { DAY_MS, isoTime, startOf } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';
import { type PartitionedTable, PERIOD_OF, type Tables } from './index.ts';

/**
 * Repeats `step` for each app until it changes no row. Throws if another process has taken over.
 * @param step changes at most `limit` rows and returns their number.
 */
export type ForEachApp = (step: (appId: string, limit: number) => Promise<number>) => Promise<void>;

/** Start of the oldest period to keep: a day or month is dropped only as a whole. */
export function retentionStart({ clock }: Ctx, table: PartitionedTable, keptDays: number): number {
  return startOf(PERIOD_OF[table], clock.nowMs() - keptDays * DAY_MS);
}

/**
 * Drops the rows older than `beforeMs`.
 * @returns false if some are left because a transaction holds their partition.
 */
export async function dropOldRows(
  ctx: Ctx,
  table: PartitionedTable,
  { beforeMs, forEachApp }: { beforeMs: number; forEachApp: ForEachApp },
): Promise<boolean> {
  const isComplete = await ctx.store.dropPartitions(table, beforeMs);
  const rest = ctx.store.defaultPartition(table);
  await dropForEachApp(ctx, { table, beforeMs, forEachApp }, (appId, limit) =>
    deleteOldRows(ctx, rest, appId, { beforeMs, limit }),
  );
  return isComplete;
}

/** Runs `step` for each app and logs the total, even when interrupted. */
export async function dropForEachApp(
  ctx: Ctx,
  { table, beforeMs, forEachApp }: { table: keyof Tables; beforeMs: number; forEachApp: ForEachApp },
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
    logDropped(ctx, { table, rows, before: isoTime(beforeMs) });
  }
}

/** @param dropped `before` is an ISO 8601 time. */
export function logDropped(
  { log }: Pick<Ctx, 'log'>,
  dropped: { readonly table: keyof Tables; readonly rows: number; readonly before: string },
): void {
  if (dropped.rows > 0) log.info(dropped, 'Dropped old rows');
}

/** UUIDv7 ids carry the time of a row. */
type DatedTable = {
  [T in keyof Tables]: Tables[T] extends { app_id: string; id: string } ? T : never;
}[keyof Tables];

/** Deletes up to `limit` rows of an app older than `beforeMs`, oldest first. @returns their number. */
export async function deleteOldRows(
  { db, store }: Ctx,
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
    .where(store.isAmong('id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
