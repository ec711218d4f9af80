import type { Db, EventsTable } from '../platform/db/index.ts';

/** Inserts those that are not there yet. Gives back all of the events' identifiers with the install they belong to. */
export async function insertEvents(
  db: Db,
  appId: string,
  events: readonly EventsTable[],
): Promise<Pick<EventsTable, 'id' | 'install_id'>[]> {
  if (events.length === 0) return [];
  const inserted = await db
    .insertInto('events')
    .values(events)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'install_id'])
    .execute();
  const isNew = new Set(inserted.map(({ id }) => id));
  const known = events.map(({ id }) => id).filter((id) => !isNew.has(id));
  if (known.length === 0) return inserted;
  const earlier = await db
    .selectFrom('events')
    .select(['id', 'install_id'])
    .where('app_id', '=', appId)
    .where('id', 'in', known)
    .execute();
  return [...inserted, ...earlier];
}
