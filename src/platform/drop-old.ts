/** What is too old goes: whole partitions at once where the engine has them, and rows without one little by little. */
import { DAY_MS, isoTime, startOf } from './clock.ts';
import type { Ctx } from './ctx.ts';
import { type PartitionedTable, PERIOD_OF, type Tables } from './db/index.ts';
import { leastIdAt } from './ids.ts';

/**
 * Takes step after step for each app until nothing is left to do, others having the database in between. It throws where
 * another process goes on.
 * @param step changes at most `limit` rows and gives how many it changed.
 */
export type ForEachApp = (step: (appId: string, limit: number) => Promise<number>) => Promise<void>;

/** What ended so many days ago is old; a day or a month of which a moment is younger is not. */
export function endOfOld({ clock }: Ctx, table: PartitionedTable, keptDays: number): number {
  return startOf(PERIOD_OF[table], clock.nowMs() - keptDays * DAY_MS);
}

/**
 * Drops a table's rows that were made before.
 * @returns false where some are left for a later call, since somebody holds their partition.
 */
export async function dropOldRows(
  ctx: Ctx,
  table: PartitionedTable,
  { beforeMs, forEachApp }: { beforeMs: number; forEachApp: ForEachApp },
): Promise<boolean> {
  const areGone = await ctx.store.dropPartitions(table, beforeMs);
  const rest = ctx.store.withoutPartition(table);
  await dropForEachApp(ctx, { table, beforeMs, forEachApp }, (appId, limit) =>
    deleteOldRows(ctx, rest, appId, { beforeMs, limit }),
  );
  return areGone;
}

/** Deletes a table's old rows step by step for each app and logs how many, also where it is cut short. */
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

type DatedTable = PartitionedTable | 'webhook_deliveries_due';

/**
 * Deletes some of an app's rows that were made before, the oldest first.
 * @returns how many: none when none is left.
 */
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
