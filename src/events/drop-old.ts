import type { Ctx } from '../ctx.ts';
import { dropForEachApp, dropOldRows, type ForEachApp } from '../db/index.ts';
import { leastIdAt } from '../lib/ids.ts';

/** Deletes events recorded before a time; keeps their daily counts. */
export async function dropOldEvents(ctx: Ctx, beforeMs: number, forEachApp: ForEachApp): Promise<void> {
  const areGone = await dropOldRows(ctx, 'events', { beforeMs, forEachApp });
  // Only after their events, so that retries of stored events are recognised.
  if (!areGone) return;
  await dropForEachApp(ctx, { table: 'event_ids', beforeMs, forEachApp }, (appId, limit) =>
    deleteOldIds(ctx, appId, { beforeMs, limit }),
  );
}

/** Oldest first. @returns the number of deleted rows. */
async function deleteOldIds(
  { db, store }: Ctx,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('event_ids')
    .select('event_id')
    .where('app_id', '=', appId)
    .where('event_id', '<', leastIdAt(beforeMs))
    .orderBy('event_id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('event_ids')
    .where('app_id', '=', appId)
    .where(store.isAmong('event_id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
