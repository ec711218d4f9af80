/** Inserts rows passed as one JSON array: the statement's text does not depend on their number, so it is prepared once. */
import { type RawBuilder, sql } from 'kysely';
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

/** See `Store.insertMany`. The columns are those of the first row. */
export async function insertMany(
  db: Db,
  table: string,
  rows: readonly object[],
  json: JsonRows,
): Promise<void> {
  if (rows.length > 0) await insertion(table, rows, json).execute(db);
}

/** See `Store.insertMissing`. */
export async function insertMissing(
  db: Db,
  { table, column }: { table: string; column: string },
  rows: readonly object[],
  json: JsonRows,
): Promise<string[]> {
  if (rows.length === 0) return [];
  // Without a `where` SQLite parses `on conflict` as a join condition.
  const inserted = sql<Record<string, string>>`
    ${insertion(table, rows, json)} where true on conflict do nothing returning ${sql.ref(column)} as value`;
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
