import { PostgresAdapter, sql } from 'kysely';
import type { Db } from './store.ts';

/**
 * Existing tables of the current schema; tables of other schemas belong to other programs. Kysely's own list fails on
 * PostgreSQL when a partition is dropped meanwhile.
 */
export async function listTableNames(db: Db): Promise<ReadonlySet<string>> {
  const { rows } = await (db.getExecutor().adapter instanceof PostgresAdapter
    ? TABLES.postgres
    : TABLES.sqlite
  ).execute(db);
  return new Set(rows.map(({ name }) => name));
}

const TABLES = {
  postgres: sql<{ name: string }>`
    select relname as name from pg_class
    where relnamespace = to_regnamespace(current_schema()) and relkind in ('r', 'p', 'v', 'f')`,
  sqlite: sql<{ name: string }>`
    select name from sqlite_schema where type in ('table', 'view') and name not like 'sqlite\\_%' escape '\\'`,
};
