import {
  type Db,
  type EventIdsTable,
  type EventsTable,
  insertRows,
  isAmong,
  type Write,
} from '../db/index.ts';
import type { RecordPage } from '../personal-data.ts';
import type { Marked, NewEvent } from './event.ts';

/** For `store.commit`: fails if one of the marks is stored. */
export async function insertEvents(
  db: Db,
  rows: readonly EventsTable[],
  marks: readonly EventIdsTable[],
): Promise<Write[]> {
  // Sorted, so that concurrent batches with the same events cannot deadlock.
  const sorted = marks.toSorted((a, b) => (a.mark < b.mark ? -1 : 1));
  return [
    ...(await insertRows(db, 'event_ids', sorted, { unlessStored: true })),
    ...(await insertRows(db, 'events', rows)),
  ];
}

/** The stored marks of events and their transactions, in no particular order. */
export async function listMarked(db: Db, appId: string, events: readonly NewEvent[]): Promise<Marked[]> {
  const marks = events.flatMap(({ mark, transactionMark }) => [mark ?? [], transactionMark ?? []].flat());
  if (marks.length === 0) return [];
  return await db
    .selectFrom('event_ids')
    .select(['mark', 'event_id', 'install_id'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'mark', marks))
    .execute();
}

/**
 * Deletes marks that former versions stored for transactions of sandbox events, which have the form of live ones.
 * @returns null if the events have no live transaction.
 */
export function deleteSandboxMarks(db: Db, appId: string, events: readonly NewEvent[]): Write | null {
  const marks = events.flatMap(({ row, transactionMark }) =>
    row.sandbox === 1 ? [] : (transactionMark ?? []),
  );
  if (marks.length === 0) return null;
  return db
    .deleteFrom('event_ids')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'mark', marks))
    .where(({ exists, selectFrom }) =>
      exists(
        selectFrom('installs')
          .select('installs.id')
          .whereRef('installs.app_id', '=', 'event_ids.app_id')
          .whereRef('installs.id', '=', 'event_ids.install_id')
          .where('installs.sandbox', '=', 1),
      ),
    )
    .returning('mark');
}

/** The event that a client sent with an ID of its own. @param mark keyed hash of that ID. */
export async function findMarkedEvent(db: Db, appId: string, mark: string): Promise<string | undefined> {
  const row = await db
    .selectFrom('event_ids')
    .select('event_id')
    .where('app_id', '=', appId)
    .where('mark', '=', mark)
    .executeTakeFirst();
  return row?.event_id;
}

export type MarkedEvent = Pick<EventIdsTable, 'mark' | 'event_id' | 'install_id'> &
  Pick<EventsTable, 'user_id' | 'revenue_amount' | 'revenue_currency'>;

/** The events that are stored under marks, in no particular order. */
export async function listMarkedEvents(
  db: Db,
  appId: string,
  marks: readonly string[],
): Promise<MarkedEvent[]> {
  if (marks.length === 0) return [];
  return await db
    .selectFrom('event_ids')
    .innerJoin('events', (join) =>
      join.onRef('events.app_id', '=', 'event_ids.app_id').onRef('events.id', '=', 'event_ids.event_id'),
    )
    .select(['mark', 'event_id', 'event_ids.install_id', 'user_id', 'revenue_amount', 'revenue_currency'])
    .where('event_ids.app_id', '=', appId)
    .where(isAmong(db, 'mark', marks))
    .execute();
}

/** One more mark of a stored event, unless it marks another one. */
export async function insertMark(db: Db, mark: EventIdsTable): Promise<void> {
  await db
    .insertInto('event_ids')
    .values(mark)
    .onConflict((conflict) => conflict.columns(['app_id', 'mark']).doNothing())
    .execute();
}

/** Events of a user or an install, in order of ID. */
export async function listEventsOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: RecordPage<'user_id' | 'install_id'>,
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

/** Lists the given installs that have events of another user. */
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

const DELETED_COLUMNS = [
  'id',
  'install_id',
  'created_at',
  'event_name',
  'link_id',
  'campaign_id',
  'last_link_id',
  'last_campaign_id',
  'revenue_amount',
  'revenue_currency',
] as const;

/** Deletes at most `limit` events with their marks and returns them. */
export async function deleteEventsOfInstalls(
  db: Db,
  appId: string,
  { installIds, limit }: { installIds: readonly string[]; limit: number },
): Promise<Pick<EventsTable, (typeof DELETED_COLUMNS)[number]>[]> {
  const page = await db
    .selectFrom('events')
    .select('id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'install_id', installIds))
    .limit(limit)
    .execute();
  const ids = page.map(({ id }) => id);
  if (ids.length === 0) return [];
  await db
    .deleteFrom('event_ids')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'event_id', ids))
    .execute();
  return await db
    .deleteFrom('events')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .returning(DELETED_COLUMNS)
    .execute();
}
