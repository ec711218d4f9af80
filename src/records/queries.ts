import { type SelectQueryBuilder, sql } from 'kysely';
import { type Database, type Db, type Flag, isAmong } from '../db/index.ts';
import { isoTime, MINUTE_MS } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';

export type RecordTable = 'clicks' | 'installs' | 'opens' | 'events';

/** The time of recording. */
const TIME_COLUMNS = {
  clicks: 'clicked_at',
  installs: 'installed_at',
  opens: 'opened_at',
  events: 'created_at',
} as const;

/** Tables whose ids the service makes, so that they are in order of time. */
const ORDERED_BY_ID: ReadonlySet<RecordTable> = new Set<RecordTable>(['clicks', 'events']);

/** Ids are made before the time of recording is read, or by another clock. */
const ID_TOLERANCE_MS = MINUTE_MS;

export interface RecordFilter {
  readonly appId: string;
  readonly sandbox: Flag;
  /** Included; null for no bound. */
  readonly fromMs: number | null;
  /** Excluded; null for no bound. */
  readonly toMs: number | null;
  /** Equal values by column. */
  readonly equal: Readonly<Record<string, string>>;
}

/** Position of a record in the order of its list. */
export interface Cursor {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

interface Page {
  readonly order: 'asc' | 'desc';
  /** Only records that are newer. */
  readonly after?: Cursor | null;
  /** Only records that are older. */
  readonly before?: Cursor | null;
  readonly limit: number;
}

/** Erased records are left out. */
export async function listRecords<T extends RecordTable>(
  db: Db,
  table: T,
  filter: RecordFilter,
  { order, after = null, before = null, limit }: Page,
): Promise<Database[T][]> {
  const time = TIME_COLUMNS[table];
  // The tables have these columns in common; their row types differ.
  let query = db.selectFrom(table as 'clicks') as unknown as SelectQueryBuilder<Database, 'clicks', object>;
  query = query
    .where('app_id', '=', filter.appId)
    .where('sandbox', '=', filter.sandbox)
    .where('erased', 'is', null);
  for (const [column, value] of Object.entries(filter.equal))
    query = query.where(sql.ref(column), '=', value);
  if (filter.fromMs !== null) query = query.where(sql.ref(time), '>=', isoTime(filter.fromMs));
  if (filter.toMs !== null) query = query.where(sql.ref(time), '<', isoTime(filter.toMs));
  if (ORDERED_BY_ID.has(table)) {
    if (filter.fromMs !== null) query = query.where('id', '>=', leastIdAt(filter.fromMs - ID_TOLERANCE_MS));
    if (filter.toMs !== null) query = query.where('id', '<', leastIdAt(filter.toMs + ID_TOLERANCE_MS));
    if (after !== null) query = query.where('id', '>', after.id);
    if (before !== null) query = query.where('id', '<', before.id);
    query = query.orderBy('id', order);
  } else {
    const place = sql`(${sql.ref(time)}, id)`;
    if (after !== null) query = query.where(sql<boolean>`${place} > (${after.at}, ${after.id})`);
    if (before !== null) query = query.where(sql<boolean>`${place} < (${before.at}, ${before.id})`);
    query = query.orderBy(sql.ref(time), order).orderBy('id', order);
  }
  return (await query.selectAll().limit(limit).execute()) as unknown as Database[T][];
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

/** Those that still exist and are not erased, in no particular order. */
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
    .where('erased', 'is', null)
    .execute();
  return rows as unknown as Database[T][];
}
