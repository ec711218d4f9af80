/** What is too old goes: whole partitions at once where the engine has them, and rows without one little by little. */
import { DAY_MS, startOf } from './clock.ts';
import type { Ctx } from './ctx.ts';
import { type PartitionedTable, PERIOD_OF } from './db/index.ts';
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
  await forEachApp((appId, limit) => deleteOldRows(ctx, rest, appId, { beforeMs, limit }));
  return areGone;
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
