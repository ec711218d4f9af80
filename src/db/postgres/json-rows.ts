import { sql } from 'kysely';
import type { JsonRows } from '../many-rows.ts';
import type { Db } from '../store.ts';

/** Types as PostgreSQL spells them, such as `timestamp(3) with time zone`. */
export type ColumnTypesByName = ReadonlyMap<string, string>;

/** Casts every value to its column's type; `json_populate_recordset`, which needs no types, takes twice as long. */
export function jsonRowsOf(types: ColumnTypesByName): JsonRows {
  return {
    value: (column, index) => `(r ->> ${index})::${types.get(column)}`,
    before: 'jsonb_array_elements(',
    after: '::jsonb)',
  };
}

/**
 * Caches the types of tables' columns. Reads them on the caller's connection: transactions that each wait for a second
 * connection could exhaust the pool.
 */
export function columnTypes(): (db: Db, table: string) => Promise<ColumnTypesByName> {
  const cache = new Map<string, ColumnTypesByName>();
  return async (db, table) => {
    const types = cache.get(table) ?? (await readColumnTypes(db, table));
    cache.set(table, types);
    return types;
  };
}

async function readColumnTypes(db: Db, table: string): Promise<ColumnTypesByName> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(db);
  return new Map(rows.map(({ name, type }) => [name, type]));
}
