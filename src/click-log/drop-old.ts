import { dropOldRows, type ForEachApp, logDropped } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';

/** Deletes clicks; their counts stay. */
export async function dropOldClicks(
  { db, store, log }: Pick<Foundation, 'db' | 'store' | 'log'>,
  beforeMs: number,
  forEachApp: ForEachApp,
): Promise<void> {
  await dropOldRows({ db, store, log }, 'clicks', { beforeMs, forEachApp });
}

/** @param before ISO 8601; no older click is kept, so older tombstones match none. */
export async function dropOldTombstones(
  { db, log }: Pick<Foundation, 'db' | 'log'>,
  before: string,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('erased_addresses')
    .where('erased_until', '<', before)
    .executeTakeFirstOrThrow();
  logDropped({ log }, { table: 'erased_addresses', rows: Number(numDeletedRows), before });
}

/** Deletes the registrations of processes that ended without removing them. @param before ISO 8601. */
export async function dropOldJournals(
  { db, log }: Pick<Foundation, 'db' | 'log'>,
  before: string,
): Promise<void> {
  const { numDeletedRows } = await db
    .deleteFrom('journals')
    .where('seen_at', '<', before)
    .executeTakeFirstOrThrow();
  logDropped({ log }, { table: 'journals', rows: Number(numDeletedRows), before });
}
