/** Reads stored rows through a separate connection. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import type { Place } from './engines.ts';

/** The location of the data: a PostgreSQL database, or the SQLite file of a data directory. */
export type StoredIn = Pick<Place, 'databaseUrl' | 'dataDir'>;

export type StoredRow = Record<string, unknown>;

/** Runs a query on the place's database; read-only on SQLite, so the service may be running. */
export async function queryStored(place: StoredIn, sql: string): Promise<StoredRow[]> {
  return (await queriesStored(place, [sql]))[0] ?? [];
}

/** Runs queries on one connection: opening it takes PostgreSQL longer than most of them. */
export async function queriesStored(place: StoredIn, queries: readonly string[]): Promise<StoredRow[][]> {
  if (place.databaseUrl === null) {
    const db = new DatabaseSync(join(place.dataDir, 'throughline.db'), { readOnly: true, timeout: 5_000 });
    try {
      return queries.map((sql) => db.prepare(sql).all());
    } finally {
      db.close();
    }
  }
  const client = new pg.Client({ connectionString: place.databaseUrl });
  await client.connect();
  try {
    const found: StoredRow[][] = [];
    for (const sql of queries) found.push((await client.query<StoredRow>(sql)).rows);
    return found;
  } finally {
    await client.end();
  }
}

/** The files of the click journals, including data directories one level below the place's. */
export function journalFiles({ dataDir }: Place): string[] {
  return [dataDir, ...readdirSync(dataDir).map((name) => join(dataDir, name))]
    .map((owner) => join(owner, 'journal'))
    .filter((directory) => existsSync(directory))
    .flatMap((directory) => readdirSync(directory).map((name) => join(directory, name)));
}
