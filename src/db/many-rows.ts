/** Inserts rows passed as one JSON array: the statement's text does not depend on their number, so it is prepared once. */
import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Database } from '../schema/tables.ts';
import { engineOf } from './engine.ts';
import type { Db } from './store.ts';

/** How an engine expands a JSON array of arrays into rows. */
export interface JsonRows {
  /** SQL for the value of a column at an index of the row's array. */
  value(column: string, index: number): string;
  /** SQL around the array in `from`; the caller appends the alias `r` for its elements. */
  readonly before: string;
  readonly after: string;
}

type Row = Readonly<Record<string, unknown>>;

/** Inserts rows by one statement. The columns are those of the first row. */
export async function insertMany<T extends keyof Database>(
  db: Db,
  table: T,
  rows: readonly Insertable<Database[T]>[],
): Promise<void> {
  if (rows.length === 0) return;
  await insertion(table, rows, await engineOf(db).jsonRows(db, table)).execute(db);
}

/**
 * Inserts the rows whose key does not exist, by one statement. Concurrent transactions must pass the same rows in the
 * same order, or they deadlock.
 * @returns the inserted rows' values of a column.
 */
export async function insertMissing<T extends keyof Database>(
  db: Db,
  table: T,
  rows: readonly Insertable<Database[T]>[],
  column: string & keyof Database[T],
): Promise<string[]> {
  if (rows.length === 0) return [];
  const insert = insertion(table, rows, await engineOf(db).jsonRows(db, table));
  // Without a `where` SQLite parses `on conflict` as a join condition.
  const inserted = sql<Record<string, string>>`
    ${insert} where true on conflict do nothing returning ${sql.ref(column)} as value`;
  return (await inserted.execute(db)).rows.map(({ value }) => value ?? '');
}

function insertion(table: string, rows: readonly object[], json: JsonRows): RawBuilder<unknown> {
  const columns = Object.keys(rows[0] ?? {});
  const values = columns.map((column, index) => json.value(column, index));
  const arrays = rows.map((row) => columns.map((column) => (row as Row)[column] ?? null));
  const head = `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${json.before}`;
  const tail = `${json.after} as r`;
  return sql`${sql.raw(head)}${JSON.stringify(arrays)}${sql.raw(tail)}`;
}
