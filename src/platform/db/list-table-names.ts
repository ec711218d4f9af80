import { sql } from 'kysely';
import type { Db } from './store.ts';

/** The tables that are there under the names that statements use: not those of other schemas, which are somebody else's. */
export async function listTableNames(db: Db): Promise<ReadonlySet<string>> {
  const tables = await db.introspection.getTables();
  const ours = tables.some(({ schema }) => schema !== undefined) ? await currentSchema(db) : undefined;
  return new Set(tables.filter(({ schema }) => schema === ours).map(({ name }) => name));
}

async function currentSchema(db: Db): Promise<string | undefined> {
  const { rows } = await sql<{ schema: string }>`select current_schema() as schema`.execute(db);
  return rows[0]?.schema;
}
