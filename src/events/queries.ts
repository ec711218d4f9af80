import type { Db, EventsTable } from '../platform/db/index.ts';
import type { WayPage } from '../platform/personal-data.ts';

/** An event that is stored, now or since earlier, and the install it belongs to. */
export interface StoredEvent {
  readonly id: string;
  readonly install_id: string;
  readonly isNew: boolean;
}

/** Inserts those that are not there yet. Gives back what is stored under each of the events' identifiers. */
export async function insertEvents(
  db: Db,
  appId: string,
  events: readonly EventsTable[],
): Promise<StoredEvent[]> {
  if (events.length === 0) return [];
  // Two batches with the same events wait for each other without end unless both go through them in one order.
  const inOrder = events.toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const inserted = await db
    .insertInto('events')
    .values(inOrder)
    .onConflict((conflict) => conflict.doNothing())
    .returning(['id', 'install_id'])
    .execute();
  const newIds = new Set(inserted.map(({ id }) => id));
  const stored = inserted.map((event) => ({ ...event, isNew: true }));
  const known = events.map(({ id }) => id).filter((id) => !newIds.has(id));
  if (known.length === 0) return stored;
  const earlier = await db
    .selectFrom('events')
    .select(['id', 'install_id'])
    .where('app_id', '=', appId)
    .where('id', 'in', known)
    .execute();
  return [...stored, ...earlier.map((event) => ({ ...event, isNew: false }))];
}

/** Events of a user or of an install, by their id, from one on. */
export async function listEventsOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: WayPage<'user_id' | 'install_id'>,
): Promise<EventsTable[]> {
  return await db
    .selectFrom('events')
    .selectAll()
    .where('app_id', '=', appId)
    .where(column, '=', value)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Those of some installs on which events of another user were recorded. */
export async function listInstallsOfOthers(
  db: Db,
  appId: string,
  installIds: readonly string[],
  userId: string,
): Promise<string[]> {
  if (installIds.length === 0) return [];
  const installs = await db
    .selectFrom('events')
    .select('install_id')
    .distinct()
    .where('app_id', '=', appId)
    .where('install_id', 'in', installIds)
    .where('user_id', '!=', userId)
    .execute();
  return installs.map(({ install_id }) => install_id);
}
