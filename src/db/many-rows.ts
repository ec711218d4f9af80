/** Statements for many rows take them as one JSON array: their text does not depend on the number, so it is prepared once. */
import { type Insertable, type RawBuilder, sql } from 'kysely';
import type { Database } from '../schema/tables.ts';
import { engineOf } from './engine.ts';
import type { Db, Write } from './store.ts';

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
  if (rows.length > 0) await insertion(table, rows, await engineOf(db).jsonRows(db, table)).execute(db);
}

/** On PostgreSQL these go out together; as JSON, which is planned apart, they would take a round trip each. */
const FEW_ROWS = 2;

/**
 * For `store.commit`: inserts rows. The columns are those of the first row.
 * @param unlessStored the commit fails, without an error, if the key of a row exists. Concurrent commits must pass such
 *   rows in the same order, or they deadlock.
 */
export async function insertRows<T extends keyof Database>(
  db: Db,
  table: T,
  rows: readonly Insertable<Database[T]>[],
  { unlessStored = false }: { unlessStored?: boolean } = {},
): Promise<Write[]> {
  if (rows.length === 0) return [];
  if (rows.length <= FEW_ROWS)
    return rows.map((row) =>
      db
        .insertInto(table)
        .values(row)
        .$if(unlessStored, (insert) => insert.onConflict((conflict) => conflict.doNothing()))
        .returning(sql`1`.as('inserted')),
    );
  const insert = insertion(table, rows, await engineOf(db).jsonRows(db, table));
  // Without a `where` SQLite parses `on conflict` as a join condition. Citus counts ignored rows too, but does not return them.
  const statement = unlessStored ? sql`${insert} where true on conflict do nothing returning 1` : insert;
  return [{ compile: () => statement.compile(db), rows: rows.length }];
}

/** For `store.commit`: fails unless the table has all these rows of an app, with these values. */
export async function expectRows<T extends keyof Database>(
  db: Db,
  table: T,
  appId: string,
  rows: readonly (Partial<Database[T]> & { readonly id: string })[],
): Promise<Write[]> {
  if (rows.length === 0) return [];
  const { value, before, after } = await engineOf(db).jsonRows(db, table);
  const { columns, json } = asJson(rows);
  const conditions = columns.map((column, index) =>
    // The index of the key cannot find values that may be null.
    column === 'id'
      ? `t.id = ${value(column, index)}`
      : `t.${column} is not distinct from ${value(column, index)}`,
  );
  // `cross` keeps SQLite from scanning the app's rows for each of the list.
  const statement = sql`select 1 as found from ${sql.raw(before)}${json}${sql.raw(after)} as r
    cross join ${sql.table(table)} as t where t.app_id = ${appId} and ${sql.raw(conditions.join(' and '))}`;
  return [{ compile: () => statement.compile(db), rows: rows.length }];
}

/** The rows of an app that have the values of one of the keys. An index should begin with `app_id` and their columns. */
export async function listByKeys<T extends keyof Database>(
  db: Db,
  table: T,
  appId: string,
  keys: readonly Partial<Database[T]>[],
): Promise<Database[T][]> {
  if (keys.length === 0) return [];
  const { value, before, after } = await engineOf(db).jsonRows(db, table);
  const { columns, json } = asJson(keys);
  const conditions = columns.map((column, index) => `t.${column} = ${value(column, index)}`);
  // `cross` as in `expectRows`.
  const statement = sql<Database[T]>`select t.* from ${sql.raw(before)}${json}${sql.raw(after)} as r
    cross join ${sql.table(table)} as t where t.app_id = ${appId} and ${sql.raw(conditions.join(' and '))}`;
  return (await statement.execute(db)).rows;
}

function insertion(table: string, rows: readonly object[], how: JsonRows): RawBuilder<unknown> {
  const { value, before, after } = how;
  const { columns, json } = asJson(rows);
  const values = columns.map(value);
  const head = `insert into ${table} (${columns.join(', ')}) select ${values.join(', ')} from ${before}`;
  return sql`${sql.raw(head)}${json}${sql.raw(`${after} as r`)}`;
}

function asJson(rows: readonly object[]): { columns: string[]; json: string } {
  const columns = Object.keys(rows[0] ?? {});
  return {
    columns,
    json: JSON.stringify(rows.map((row) => columns.map((column) => (row as Row)[column] ?? null))),
  };
}
