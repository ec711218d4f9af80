import type { Ctx } from '../platform/ctx.ts';
import { dropForEachApp, dropOldRows, type ForEachApp } from '../platform/drop-old.ts';
import { leastIdAt } from '../platform/ids.ts';

/** Drops events that were recorded before; their daily counts stay. */
export async function dropOldEvents(ctx: Ctx, beforeMs: number, forEachApp: ForEachApp): Promise<void> {
  const areGone = await dropOldRows(ctx, 'events', { beforeMs, forEachApp });
  // For as long as an event is there, it is known when it is sent again.
  if (!areGone) return;
  await dropForEachApp(ctx, { table: 'event_ids', beforeMs, forEachApp }, (appId, limit) =>
    deleteOldIds(ctx, appId, { beforeMs, limit }),
  );
}

/** Some of an app's, the oldest first. Gives how many. */
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
