import type { Db, EventsTable } from '../platform/db/index.ts';

/** Those that are there already are left as they are. */
export async function insertEvents(db: Db, events: readonly EventsTable[]): Promise<void> {
  if (events.length === 0) return;
  await db
    .insertInto('events')
    .values(events)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}
