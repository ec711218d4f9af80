import type { Ctx } from '../ctx.ts';
import { dropOldRows, type ForEachApp, logDropped } from '../db/index.ts';

/** Deletes clicks; their daily counts stay. */
export async function dropOldClicks(ctx: Ctx, beforeMs: number, forEachApp: ForEachApp): Promise<void> {
  await dropOldRows(ctx, 'clicks', { beforeMs, forEachApp });
}

/** @param before ISO 8601; no older click is kept, so older tombstones match none. */
export async function dropOldTombstones(ctx: Ctx, before: string): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('erased_addresses')
    .where('erased_until', '<', before)
    .executeTakeFirstOrThrow();
  logDropped(ctx, { table: 'erased_addresses', rows: Number(numDeletedRows), before });
}

/** Deletes the registrations of processes that ended without removing them. @param before ISO 8601. */
export async function dropOldJournals(ctx: Ctx, before: string): Promise<void> {
  const { numDeletedRows } = await ctx.db
    .deleteFrom('journals')
    .where('seen_at', '<', before)
    .executeTakeFirstOrThrow();
  logDropped(ctx, { table: 'journals', rows: Number(numDeletedRows), before });
}
