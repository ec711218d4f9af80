import { type SelectQueryBuilder, sql } from 'kysely';
import type { Database, Db, Flag } from '../db/index.ts';
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
interface Cursor {
  readonly id: string;
  /** ISO 8601. */
  readonly at: string;
}

interface Page {
  readonly order: 'newest first' | 'oldest first';
  /** The last record of the previous page. */
  readonly after: Cursor | null;
  readonly limit: number;
}

/** Erased records are left out. */
export async function listRecords<T extends RecordTable>(
  db: Db,
  table: T,
  filter: RecordFilter,
  { order, after, limit }: Page,
): Promise<Database[T][]> {
  const time = TIME_COLUMNS[table];
  const isNewestFirst = order === 'newest first';
  const beyond = isNewestFirst ? '<' : '>';
  const direction = isNewestFirst ? 'desc' : 'asc';
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
    if (after !== null) query = query.where('id', beyond, after.id);
    query = query.orderBy('id', direction);
  } else {
    if (after !== null)
      query = query.where(sql<boolean>`(${sql.ref(time)}, id) ${sql.raw(beyond)} (${after.at}, ${after.id})`);
    query = query.orderBy(sql.ref(time), direction).orderBy('id', direction);
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
