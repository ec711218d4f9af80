import {
  type DialectAdapter,
  type Expression,
  isExpression,
  PostgresAdapter,
  PostgresDialect,
  type SqlBool,
  sql,
} from 'kysely';
import type pg from 'pg';
import type { Engine } from '../engine.ts';
import type { JsonRows } from '../many-rows.ts';
import type { Db, Transaction } from '../store.ts';

/** Types as PostgreSQL spells them, such as `timestamp(3) with time zone`. */
export type ColumnTypesByName = ReadonlyMap<string, string>;

export function postgresDialect(pool: pg.Pool, engine: PostgresEngine): PostgresDialect {
  return new (class extends PostgresDialect {
    override createAdapter(): DialectAdapter {
      return engine;
    }
  })({ pool });
}

export class PostgresEngine extends PostgresAdapter implements Engine {
  readonly isShared = true;
  readonly #columnTypes = new Map<string, ColumnTypesByName>();

  async jsonRows(db: Db, table: string): Promise<JsonRows> {
    return jsonRowsOf(await this.columnTypes(db, table));
  }

  /**
   * Types of a table's columns. Reads them once, on the caller's connection: transactions that each wait for a second
   * connection could exhaust the pool.
   */
  async columnTypes(db: Db, table: string): Promise<ColumnTypesByName> {
    const types = this.#columnTypes.get(table) ?? (await readColumnTypes(db, table));
    this.#columnTypes.set(table, types);
    return types;
  }

  isAmong(column: string, ids: readonly string[] | Expression<unknown>): Expression<SqlBool> {
    const list = isExpression(ids) ? sql`array(${ids})` : sql`${ids}::uuid[]`;
    return sql<SqlBool>`${sql.ref(column)} = any(${list})`;
  }

  isAmongTexts(column: string, texts: readonly string[]): Expression<SqlBool> {
    return sql<SqlBool>`${sql.ref(column)} = any(${texts}::text[])`;
  }

  jsonText(json: Expression<unknown>, field: string): Expression<string | null> {
    return sql<string | null>`cast(${json} as json) ->> ${sql.lit(field)}`;
  }

  async useCustomPlan(tx: Transaction): Promise<void> {
    await sql`set local plan_cache_mode = force_custom_plan`.execute(tx);
  }
}

/** Casts every value to its column's type; `json_populate_recordset`, which needs no types, takes twice as long. */
export function jsonRowsOf(types: ColumnTypesByName): JsonRows {
  return {
    value: (column, index) => `(r ->> ${index})::${types.get(column)}`,
    before: 'jsonb_array_elements(',
    after: '::jsonb)',
  };
}

export async function readColumnTypes(db: Db, table: string): Promise<ColumnTypesByName> {
  const { rows } = await sql<{ name: string; type: string }>`
    select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${table}::regclass and attnum > 0 and not attisdropped`.execute(db);
  return new Map(rows.map(({ name, type }) => [name, type]));
}
