import { sql } from 'kysely';
import type { Db } from './store.ts';

/** Existing tables of the current schema; tables of other schemas belong to other programs. */
export async function listTableNames(db: Db): Promise<ReadonlySet<string>> {
  const tables = await db.introspection.getTables();
  const current = tables.some(({ schema }) => schema !== undefined) ? await currentSchema(db) : undefined;
  return new Set(tables.filter(({ schema }) => schema === current).map(({ name }) => name));
}

async function currentSchema(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  return rows[0]?.schema;
}
