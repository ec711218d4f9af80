import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { Found } from './found.ts';

const TIME = { installs: 'installed_at', opens: 'opened_at', events: 'created_at' } as const;

/** A user with an install, an open or an event; the time is that of one of them. */
export async function findUser(db: Db, { appId, mode }: Actor, userId: string): Promise<Found[]> {
  for (const table of ['installs', 'opens', 'events'] as const) {
    const row = await db
      .selectFrom(table as 'installs')
      .select(TIME[table] as 'installed_at')
      .where('app_id', '=', appId)
      .where('user_id', '=', userId)
      .$if(mode === 'test', (query) => query.where('sandbox', '=', 1))
      .orderBy('id', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) continue;
    const at = row[TIME[table] as 'installed_at'];
    return [{ isWhole: true, result: { type: 'user', id: userId, label: userId, at } }];
  }
  return [];
}
