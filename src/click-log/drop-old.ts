import { type Db, dropOldRows, type ForEachApp, logDropped, type Store } from '../db/index.ts';
import type { Log } from '../lib/log.ts';

/** Deletes clicks; their counts stay. */
export async function dropOldClicks(
  { db, store, log }: { db: Db; store: Store; log: Log },
  beforeMs: number,
  forEachApp: ForEachApp,
): Promise<void> {
  await dropOldRows({ db, store, log }, 'clicks', { beforeMs, forEachApp });
}

/** @param before ISO 8601; no older click is kept, so older tombstones match none. */
export async function dropOldTombstones({ db, log }: { db: Db; log: Log }, before: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('erased_addresses')
    .where('erased_until', '<', before)
    .executeTakeFirstOrThrow();
  logDropped({ log }, { table: 'erased_addresses', rows: Number(numDeletedRows), before });
}

/** Deletes the registrations of processes that ended without removing them. @param before ISO 8601. */
export async function dropOldJournals({ db, log }: { db: Db; log: Log }, before: string): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('journals')
    .where('seen_at', '<', before)
    .executeTakeFirstOrThrow();
  logDropped({ log }, { table: 'journals', rows: Number(numDeletedRows), before });
}
