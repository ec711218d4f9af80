import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { assertNotMoved, DATABASE_FILE } from '../lib/data-dir/index.ts';
import { makeDirectory } from '../lib/files.ts';
import type { Log } from '../lib/log.ts';
import { type Observe, observed } from './observe.ts';
import { openPostgres } from './postgres/index.ts';
import { openSqlite } from './sqlite/index.ts';
import type { Migrations, Store } from './store.ts';

/**
 * Opens the configured database without migrating it.
 * @param onDeath called when the store can never write again in this process.
 * @param observe told of the duration of statements.
 * @throws StartError for a SQLite file whose data was moved to PostgreSQL.
 */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  migrations: Migrations,
  log: Log,
  onDeath: (cause: unknown) => void,
  observe: Observe = () => undefined,
): Promise<Store> {
  if (config.databaseUrl !== null)
    return observed(openPostgres(config.databaseUrl, migrations, log, observe), observe);
  assertNotMoved(config);
  makeDirectory(resolve(config.dataDir));
  const file = databaseFile(config);
  return observed(await openSqlite(file, migrations, log, { onDeath, observe }), observe);
}

/** Path of the SQLite file. */
export function databaseFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, DATABASE_FILE);
}
