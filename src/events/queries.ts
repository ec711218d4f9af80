import type { Compilable } from 'kysely';
import type { Ctx } from '../platform/ctx.ts';
import type { Db, EventIdsTable, EventsTable } from '../platform/db/index.ts';
import type { WayPage } from '../platform/personal-data.ts';

/** An event to be recorded. */
export interface NewEvent {
  readonly row: EventsTable;
  /** Of the identifier that the client made; null where it made none. */
  readonly mark: string | null;
}

/** Inserted; there already, from the same install; or under an identifier that is another install's event's. */
type Fate = 'new' | 'known' | 'taken';

/** For `store.commit`: changes no row where the event's identifier is there already. */
export function insertEvent(db: Db, event: NewEvent): Compilable[] {
  const insert = db.insertInto('events').values(event.row).returning('id');
  const id = toEventId(event);
  if (id === null) return [insert];
  const insertId = db
    .insertInto('event_ids')
    .values(id)
    .onConflict((conflict) => conflict.columns(['app_id', 'mark']).doNothing())
    .returning('event_id');
  return [insertId, insert];
}

/** Inserts those that are not there yet. One that is sent twice in a batch is inserted once, as it was sent first. */
export async function insertEvents(
  tx: Ctx,
  appId: string,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<NewEvent, Fate>> {
  const stored = await storeMarks(tx, appId, events);
  const fates = new Map(events.map((event) => [event, fateOf(event, stored)]));
  const rows = events.filter((event) => fates.get(event) === 'new').map(({ row }) => row);
  await tx.store.insertMany(tx.db, 'events', rows);
  return fates;
}

type Marked = Pick<EventIdsTable, 'mark' | 'event_id' | 'install_id'>;

/** Gives what is stored under each of the events' marks, now or since earlier. */
async function storeMarks(
  tx: Ctx,
  appId: string,
  events: readonly NewEvent[],
): Promise<ReadonlyMap<string, Marked>> {
  const rows = events.map(toEventId).filter((row) => row !== null);
  // Two batches with the same events wait for each other without end unless both go through them in one order.
  rows.sort((a, b) => (a.mark < b.mark ? -1 : Number(a.mark > b.mark)));
  const inserted = new Set(await tx.store.insertMissing(tx.db, 'event_ids', rows, 'event_id'));
  const isNew = ({ event_id: id }: Marked) => inserted.has(id);
  const known = rows.filter((row) => !isNew(row)).map(({ mark }) => mark);
  const earlier = await listMarked(tx, appId, known);
  return new Map([...rows.filter(isNew), ...earlier].map((each) => [each.mark, each]));
}

/** Null where the client made no identifier. */
function toEventId({ row, mark }: NewEvent): EventIdsTable | null {
  if (mark === null) return null;
  return { app_id: row.app_id, mark, event_id: row.id, install_id: row.install_id };
}

/** Those of the marks that are stored, in no order. */
export async function listMarked(tx: Ctx, appId: string, marks: readonly string[]): Promise<Marked[]> {
  if (marks.length === 0) return [];
  return await tx.db
    .selectFrom('event_ids')
    .select(['mark', 'event_id', 'install_id'])
    .where('app_id', '=', appId)
    .where(tx.store.isAmong('mark', marks))
    .execute();
}

function fateOf({ row, mark }: NewEvent, stored: ReadonlyMap<string, Marked>): Fate {
  if (mark === null) return 'new';
  const marked = stored.get(mark);
  if (marked?.event_id === row.id) return 'new';
  return marked?.install_id === row.install_id ? 'known' : 'taken';
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

/** Deletes at most `limit` events of some installs, with the marks of their identifiers. */
export async function deleteEventsOfInstalls(
  { db, store }: Ctx,
  appId: string,
  { installIds, limit }: { installIds: readonly string[]; limit: number },
): Promise<Pick<EventsTable, 'id' | 'install_id' | 'created_at'>[]> {
  const some = await db
    .selectFrom('events')
    .select('id')
    .where('app_id', '=', appId)
    .where(store.isAmong('install_id', installIds))
    .limit(limit)
    .execute();
  const ids = some.map(({ id }) => id);
  if (ids.length === 0) return [];
  await db
    .deleteFrom('event_ids')
    .where('app_id', '=', appId)
    .where(store.isAmong('event_id', ids))
    .execute();
  return await db
    .deleteFrom('events')
    .where('app_id', '=', appId)
    .where(store.isAmong('id', ids))
    .returning(['id', 'install_id', 'created_at'])
    .execute();
}
