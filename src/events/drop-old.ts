import { type Db, dropForEachApp, dropOldRows, type ForEachApp, isAmong } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { leastIdAt } from '../lib/ids.ts';

/** Deletes events recorded before a time; keeps their counts. */
export async function dropOldEvents(
  { db, store, log }: Pick<Foundation, 'db' | 'store' | 'log'>,
  beforeMs: number,
  forEachApp: ForEachApp,
): Promise<void> {
  const areGone = await dropOldRows({ db, store, log }, 'events', { beforeMs, forEachApp });
  // Only after their events, so that retries of stored events are recognised.
  if (!areGone) return;
  await dropForEachApp({ log }, { table: 'event_ids', beforeMs, forEachApp }, (appId, limit) =>
    deleteOldIds(db, appId, { beforeMs, limit }),
  );
}

/** Oldest first. @returns the number of deleted rows. */
async function deleteOldIds(
  db: Db,
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
    .where(isAmong(db, 'event_id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
