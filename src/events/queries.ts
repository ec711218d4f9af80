import type { Compilable } from 'kysely';
import {
  type Db,
  type EventIdsTable,
  type EventsTable,
  insertMany,
  insertMissing,
  isAmong,
  type Transaction,
} from '../db/index.ts';
import type { RecordPage } from '../personal-data.ts';

export interface NewEvent {
  readonly row: EventsTable;
  /** Keyed hash of the client's event ID; null without one. */
  readonly mark: string | null;
  /** Keyed hash of the transaction whose revenue counts once; null without one. */
  readonly transactionMark: string | null;
}

/** `recorded_before` is a retry; `id_taken` if the client's event ID belongs to another install. */
type InsertStatus = 'inserted' | 'recorded_before' | 'id_taken';

/** For `store.commit`: a statement changes no row if the client's event ID or the transaction exists. */
export function insertEvent(db: Db, event: NewEvent): Compilable[] {
  const insert = db.insertInto('events').values(event.row).returning('id');
  const insertIds = [toEventId(event), toTransactionId(event)].flatMap((id) =>
    id === null
      ? []
      : db
          .insertInto('event_ids')
          .values(id)
          .onConflict((conflict) => conflict.columns(['app_id', 'mark']).doNothing())
          .returning('event_id'),
  );
  return [...insertIds, insert];
}

/**
 * Inserts each new event once; of duplicates in a batch, the first. An event of a transaction that was counted before has
 * no revenue.
 * @returns the inserted rows with them.
 */
export async function insertEvents(
  tx: Transaction,
  appId: string,
  events: readonly NewEvent[],
): Promise<{ statuses: ReadonlyMap<NewEvent, InsertStatus>; rows: ReadonlyMap<NewEvent, EventsTable> }> {
  const stored = await storeMarks(tx, appId, events.map(toEventId));
  const statuses = new Map(events.map((event) => [event, statusOf(event, stored)]));
  const inserted = events.filter((event) => statuses.get(event) === 'inserted');
  const transactions = await storeMarks(tx, appId, inserted.map(toTransactionId));
  const rows = new Map(
    inserted.map((event) => {
      const { row, transactionMark } = event;
      const isCounted = transactionMark === null || transactions.get(transactionMark)?.event_id === row.id;
      return [event, isCounted ? row : { ...row, revenue_amount: null, revenue_currency: null }];
    }),
  );
  await insertMany(tx, 'events', [...rows.values()]);
  return { statuses, rows };
}

type Marked = Pick<EventIdsTable, 'mark' | 'event_id' | 'install_id'>;

/** Stores the new marks. @returns the stored row of each mark. */
async function storeMarks(
  tx: Transaction,
  appId: string,
  ids: readonly (EventIdsTable | null)[],
): Promise<ReadonlyMap<string, Marked>> {
  const rows = ids.filter((row) => row !== null);
  // Sorted, so that concurrent batches with the same events cannot deadlock.
  rows.sort((a, b) => (a.mark < b.mark ? -1 : Number(a.mark > b.mark)));
  const inserted = new Set(await insertMissing(tx, 'event_ids', rows, 'event_id'));
  const isNew = ({ event_id: id }: Marked) => inserted.has(id);
  const known = rows.filter((row) => !isNew(row)).map(({ mark }) => mark);
  const earlier = await listMarked(tx, appId, known);
  return new Map([...rows.filter(isNew), ...earlier].map((each) => [each.mark, each]));
}

function toTransactionId({ row, transactionMark }: NewEvent): EventIdsTable | null {
  return toEventId({ row, mark: transactionMark });
}

function toEventId({ row, mark }: Pick<NewEvent, 'row' | 'mark'>): EventIdsTable | null {
  if (mark === null) return null;
  return { app_id: row.app_id, mark, event_id: row.id, install_id: row.install_id };
}

/** In no particular order, without unknown marks. */
export async function listMarked(
  tx: Transaction,
  appId: string,
  marks: readonly string[],
): Promise<Marked[]> {
  if (marks.length === 0) return [];
  return await tx
    .selectFrom('event_ids')
    .select(['mark', 'event_id', 'install_id'])
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'mark', marks))
    .execute();
}

function statusOf({ row, mark }: NewEvent, stored: ReadonlyMap<string, Marked>): InsertStatus {
  if (mark === null) return 'inserted';
  const marked = stored.get(mark);
  if (marked?.event_id === row.id) return 'inserted';
  return marked?.install_id === row.install_id ? 'recorded_before' : 'id_taken';
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
