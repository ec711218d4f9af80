import type { Ctx } from '../platform/ctx.ts';
import { leastIdAt } from '../platform/ids.ts';

/**
 * Drops some of an app's clicks that were made before; their daily counts stay.
 * @returns how many: fewer than `limit` when none is left.
 */
export async function dropOldClicks(
  { db, store }: Ctx,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('clicks')
    .select('id')
    .where('app_id', '=', appId)
    .where('id', '<', leastIdAt(beforeMs))
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('clicks')
    .where('app_id', '=', appId)
    .where(store.isAmong('id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** So many that a table which somebody holds for a while is made ready in time all the same. */
const DAYS_AHEAD = 7;

/** Makes room for the clicks of today and the next days, where the database keeps each day apart. */
export async function makeRoomForClicks({ store, clock }: Ctx): Promise<void> {
  await store.makePartitions('clicks', clock.nowMs(), DAYS_AHEAD);
}

/** Drops whole days of all apps at once, where the database keeps each day apart; their daily counts stay. */
export async function dropOldDays({ store }: Ctx, beforeMs: number): Promise<void> {
  await store.dropPartitions('clicks', beforeMs);
}

/** Server's own: tombstones of which no click can be left that they would concern, and journals of processes long gone. */
export async function dropOldMarks({ db }: Ctx, before: string): Promise<void> {
  await db.deleteFrom('erased_addresses').where('erased_until', '<', before).execute();
  await db.deleteFrom('journals').where('seen_at', '<', before).execute();
}
