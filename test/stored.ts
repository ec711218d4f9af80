/** What a service stored, read past it: through a connection of the test's own. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Place } from './engines.ts';

export type StoredRow = Record<string, unknown>;

/** Runs a query on the place's database; on SQLite read-only, so the service may be running. */
export async function queryStored(place: Place, sql: string): Promise<StoredRow[]> {
  if (place.databaseUrl === null) {
    const db = new DatabaseSync(join(place.dataDir, 'throughline.db'), { readOnly: true, timeout: 5_000 });
    try {
      return db.prepare(sql).all();
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    return (await client.query<StoredRow>(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Names of the files in the click journal's folder. */
export function journalFiles(place: Place): string[] {
  const directory = join(place.dataDir, 'journal');
  return existsSync(directory) ? readdirSync(directory) : [];
}
