import { type Db, isAmong } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';

/** For as long as Google takes them. */
export const CLICK_IDS_KEPT_DAYS = 180;

/** Drops Google's click IDs of old installs. @returns the number of installs. */
export async function dropOldClickIds(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('installs')
    .select('id')
    .where('app_id', '=', appId)
    .where('google_click_ids', 'is not', null)
    .where('installed_at', '<', isoTime(beforeMs))
    .limit(limit);
  const { numUpdatedRows } = await db
    .updateTable('installs')
    .set({ google_click_ids: null })
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', old))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
