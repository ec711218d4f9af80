import { type Expression, type SelectQueryBuilder, type SqlBool, sql } from 'kysely';
import { type Database, type Db, type Flag, isAmong } from '../db/index.ts';
import { isoTime, MINUTE_MS } from '../lib/clock.ts';
import { type IdRange, leastIdAt } from '../lib/ids.ts';

export type RecordTable = 'clicks' | 'installs' | 'opens' | 'events';

/** The time of recording. */
const TIME_COLUMNS = {
  clicks: 'clicked_at',
  installs: 'installed_at',
  opens: 'opened_at',
  events: 'created_at',
} as const;

/** Tables whose ids the service makes, so that they are in order of time. */
export const ORDERED_BY_ID: ReadonlySet<RecordTable> = new Set<RecordTable>(['clicks', 'events']);

/** Ids are made before the time of recording is read, or by another clock. */
const ID_TOLERANCE_MS = MINUTE_MS;

export interface RecordFilter {
  readonly appId: string;
  readonly sandbox: Flag;
  /** Included; null for no bound. */
  readonly fromMs: number | null;
  /** Excluded; null for no bound. */
  readonly toMs: number | null;
  /** At most one, which finds its rows by an index in the order of the list. */
  readonly inOrder: readonly Expression<SqlBool>[];
  /** The others. */
  readonly conditions: readonly Expression<SqlBool>[];
  /** Whether an index of another order leaves few rows. */
  readonly isSmall: boolean;
}

/** Position of a record in the order of its list. */
export interface Cursor {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

type Order = 'asc' | 'desc';

/** Which part of a list. */
interface Place {
  readonly order: Order;
  /** Only records that are newer. */
  readonly after?: Cursor | null;
  /** Only records that are older. */
  readonly before?: Cursor | null;
  /** The last record in this order, included. */
  readonly last?: Cursor;
}

export async function listRecords<T extends RecordTable>(
  db: Db,
  table: T,
  filter: RecordFilter,
  { limit, ...page }: Place & { limit: number },
): Promise<Database[T][]> {
  const found: Database[T][] = [];
  for await (const place of rangesOf(db, table, filter, page)) {
    found.push(...(await listRange(db, table, filter, { ...place, limit: limit - found.length })));
    if (found.length >= limit) break;
  }
  return found;
}

/** @returns the number of records that match, at most `max`. */
export async function countRecords(
  db: Db,
  table: RecordTable,
  filter: RecordFilter,
  max: number,
): Promise<number> {
  let total = 0;
  for await (const place of rangesOf(db, table, filter, { order: 'desc' })) {
    const some = matching(db, table, filter, place)
      .select('id')
      .limit(max - total);
    const { n } = await db
      .selectFrom(some.as('some'))
      .select(({ fn }) => fn.countAll<number>().as('n'))
      .executeTakeFirstOrThrow();
    total += n;
    if (total >= max) break;
  }
  return total;
}

/** Small: usually the first range fills the page. */
const ROWS_IN_FIRST_RANGE = 1_000;
/** A few milliseconds of SQLite's reader, which serves other reads in between. */
const ROWS_IN_OTHER_RANGES = 10_000;

/** Divides a list, in its order, so that no statement scans a whole table, or all that an index finds, for a rare match. */
export async function* rangesOf(
  db: Db,
  table: RecordTable,
  filter: RecordFilter,
  page: Place,
): AsyncGenerator<Place> {
  if (filter.isSmall) return yield page;
  const near = page.order === 'asc' ? 'after' : 'before';
  for (let place = page, rows = ROWS_IN_FIRST_RANGE; ; rows = ROWS_IN_OTHER_RANGES) {
    const row = await inPlace(db, table, filter, place)
      .select(['id', sql<string>`${sql.ref(TIME_COLUMNS[table])}`.as('at')])
      .offset(rows - 1)
      .limit(1)
      .executeTakeFirst();
    if (row === undefined) return yield place;
    yield { ...place, last: row };
    place = { ...place, [near]: row };
  }
}

/** By one statement. */
export async function listRange<T extends RecordTable>(
  db: Db,
  table: T,
  filter: RecordFilter,
  { limit, ...place }: Place & { limit: number },
): Promise<Database[T][]> {
  const query = matching(db, table, filter, place).selectAll().limit(limit);
  return (await query.execute()) as unknown as Database[T][];
}

// The tables have these columns in common; their row types differ.
type Records = SelectQueryBuilder<Database, 'clicks', object>;

function matching(db: Db, table: RecordTable, filter: RecordFilter, place: Place): Records {
  let query = inPlace(db, table, filter, place).where('sandbox', '=', filter.sandbox);
  for (const condition of filter.conditions) query = query.where(condition);
  return query;
}

/** Without the conditions that are not `inOrder`. */
function inPlace(db: Db, table: RecordTable, filter: RecordFilter, place: Place): Records {
  const { appId, fromMs, toMs, inOrder } = filter;
  const time = TIME_COLUMNS[table];
  let query = db.selectFrom(table as 'clicks') as unknown as Records;
  query = query.where('app_id', '=', appId);
  for (const condition of inOrder) query = query.where(condition);
  if (fromMs !== null) query = query.where(sql.ref(time), '>=', isoTime(fromMs));
  if (toMs !== null) query = query.where(sql.ref(time), '<', isoTime(toMs));
  const { order, after, before, last } = place;
  const bounds = [
    ...(after ? [['>', after] as const] : []),
    ...(before ? [['<', before] as const] : []),
    ...(last ? [[order === 'asc' ? '<=' : '>=', last] as const] : []),
  ];
  if (ORDERED_BY_ID.has(table)) {
    if (fromMs !== null) query = query.where('id', '>=', leastIdAt(fromMs - ID_TOLERANCE_MS));
    if (toMs !== null) query = query.where('id', '<', leastIdAt(toMs + ID_TOLERANCE_MS));
    for (const [operator, { id }] of bounds) query = query.where('id', operator, id);
    return query.orderBy('id', order);
  }
  const key = sql`(${sql.ref(time)}, id)`;
  for (const [operator, { at, id }] of bounds)
    query = query.where(sql<boolean>`${key} ${sql.raw(operator)} (${at}, ${id})`);
  return query.orderBy(sql.ref(time), order).orderBy('id', order);
}

/** @returns undefined if the app has no such record. */
export async function findCursor(
  db: Db,
  table: RecordTable,
  { appId, sandbox }: Pick<RecordFilter, 'appId' | 'sandbox'>,
  id: string,
): Promise<Cursor | undefined> {
  const row = await db
    .selectFrom(table as 'clicks')
    .select(['id', sql<string>`${sql.ref(TIME_COLUMNS[table])}`.as('at')])
    .where('app_id', '=', appId)
    .where('id', '=', id)
    .where('sandbox', '=', sandbox)
    .executeTakeFirst();
  return row;
}

/** The position of a row. */
export function cursorOf(table: RecordTable, row: object): Cursor {
  const columns = row as Record<string, string>;
  return { id: columns.id ?? '', at: columns[TIME_COLUMNS[table]] ?? '' };
}

/** What tells whether a record is wanted, without its contents. */
export interface RecordKey {
  readonly table: RecordTable;
  readonly id: string;
  /** Time of recording, ISO 8601. */
  readonly at: string;
  readonly sandbox: Flag;
  readonly link_id: string | null;
  readonly campaign_id: string | null;
}

/**
 * Keys of human clicks, installs, opens and events recorded after a time, in no particular order, by one statement.
 * Erased records are left out.
 * @param limit of each kind; the newest ones.
 */
export async function listKeys(
  db: Db,
  appId: string,
  { after, limit }: { after: string; limit: number },
): Promise<RecordKey[]> {
  const of = (table: RecordTable) =>
    db.selectFrom(keysOf(db, table, { appId, after, limit }).as(table)).selectAll();
  return await of('clicks').unionAll(of('installs')).unionAll(of('opens')).unionAll(of('events')).execute();
}

function keysOf(
  db: Db,
  table: RecordTable,
  { appId, after, limit }: { appId: string; after: string; limit: number },
) {
  const time = sql.ref<string>(TIME_COLUMNS[table]);
  const keys = db
    .selectFrom(table as 'clicks')
    .select([sql.lit(table).as('table'), 'id', time.as('at'), 'sandbox', 'link_id', 'campaign_id'])
    .where('app_id', '=', appId)
    .where(time, '>', after)
    .where('erased', 'is', null)
    .limit(limit);
  if (!ORDERED_BY_ID.has(table)) return keys.orderBy(time, 'desc');
  const inTime = keys.where('id', '>=', leastIdAt(Date.parse(after) - ID_TOLERANCE_MS)).orderBy('id', 'desc');
  return table === 'clicks' ? inTime.where('visitor', '=', 'human') : inTime;
}

/** Those that still exist, in no particular order. */
export async function listRecordsByIds<T extends RecordTable>(
  db: Db,
  table: T,
  appId: string,
  ids: readonly string[],
): Promise<Database[T][]> {
  const [first = '', ...others] = ids.toSorted();
  const rows = await db
    .selectFrom(table as 'clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    // PostgreSQL chooses the partitions by these bounds, not by the list.
    .where('id', '>=', first)
    .where('id', '<=', others.at(-1) ?? first)
    .execute();
  return rows as unknown as Database[T][];
}

/** Those with an id in a range, the greatest ids first. */
export async function listRecordsInRange<T extends RecordTable>(
  db: Db,
  table: T,
  {
    appId,
    range,
    sandboxOnly,
    limit,
  }: { appId: string; range: IdRange; sandboxOnly: boolean; limit: number },
): Promise<Database[T][]> {
  const rows = await db
    .selectFrom(table as 'clicks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '>=', range.from)
    .where('id', '<=', range.to)
    .$if(sandboxOnly, (query) => query.where('sandbox', '=', 1))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows as unknown as Database[T][];
}
