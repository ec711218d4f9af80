/** One statement for any number of rows, which come as one JSON array: its text is always the same, so it is prepared once. */
import { sql } from 'kysely';
import type { Db } from './store.ts';

/** How an engine makes rows of a JSON array of arrays. */
export interface JsonRows {
  /** The value of a column at its place in a row. */
  value(column: string, place: number): string;
  /** What stands around the array in `from`; its elements are called `r`. */
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
  const [first] = rows;
  if (first === undefined) return;
  const columns = Object.keys(first);
  const values = columns.map((column, place) => json.value(column, place));
  const arrays = rows.map((row) => columns.map((column) => (row as Row)[column] ?? null));
  const head = `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${json.before}`;
  const tail = `${json.after} as r`;
  await sql`${sql.raw(head)}${JSON.stringify(arrays)}${sql.raw(tail)}`.execute(db);
}
