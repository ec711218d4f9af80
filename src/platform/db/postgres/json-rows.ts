import { sql } from 'kysely';
import type { JsonRows } from '../many-rows.ts';
import type { Db } from '../store.ts';

/** Types as PostgreSQL spells them, such as `timestamp(3) with time zone`. */
export type ColumnTypesByName = ReadonlyMap<string, string>;

/** Every value is cast to its column's type; `json_populate_recordset`, which knows it by itself, takes twice as long. */
export function jsonRowsOf(types: ColumnTypesByName): JsonRows {
  return {
    value: (column, place) => `(r ->> ${place})::${types.get(column)}`,
    before: 'jsonb_array_elements(',
    after: '::jsonb)',
  };
}

/**
 * The types of a table's columns by their names, read once: by the connection that asks, since many transactions that
 * each wait for a second one wait for each other.
 */
export function columnTypes(): (db: Db, table: string) => Promise<ColumnTypesByName> {
  const known = new Map<string, ColumnTypesByName>();
  return async (db, table) => {
    const types = known.get(table) ?? (await readColumnTypes(db, table));
    known.set(table, types);
    return types;
  };
}

async function readColumnTypes(db: Db, table: string): Promise<ColumnTypesByName> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(db);
  return new Map(rows.map(({ name, type }) => [name, type]));
}
