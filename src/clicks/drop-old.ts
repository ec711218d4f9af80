import type { Ctx } from '../platform/ctx.ts';
import { dropOldRows, type ForEachApp, logDropped } from '../platform/drop-old.ts';

/** Drops clicks that were made before; their daily counts stay. */
export async function dropOldClicks(ctx: Ctx, beforeMs: number, forEachApp: ForEachApp): Promise<void> {
  await dropOldRows(ctx, 'clicks', { beforeMs, forEachApp });
}

/** Server's own: tombstones of which no click can be left that they would concern. @param before ISO 8601. */
export async function dropOldTombstones(ctx: Ctx, before: string): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('erased_addresses')
    .where('erased_until', '<', before)
    .executeTakeFirstOrThrow();
  logDropped(ctx, { table: 'erased_addresses', rows: Number(numDeletedRows), before });
}

/** Server's own: what is known of the journals of processes long gone. @param before ISO 8601. */
export async function dropOldJournals(ctx: Ctx, before: string): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('journals')
    .where('seen_at', '<', before)
    .executeTakeFirstOrThrow();
  logDropped(ctx, { table: 'journals', rows: Number(numDeletedRows), before });
}
