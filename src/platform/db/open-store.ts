import { join, resolve } from 'node:path';
import type { Config } from '../config.ts';
import { refuseMoved } from '../data-dir/index.ts';
import type { Log } from '../log.ts';
import { makeFolder } from '../make-folder.ts';
import { openPostgres } from './postgres/index.ts';
import { openSqlite } from './sqlite/index.ts';
import type { Migrations, Store } from './store.ts';

/**
 * Opens the database that the configuration names. It does not migrate.
 * @param onDeath called when the store can never write again in this process.
 * @throws StartError for a SQLite file whose data was moved away: what it holds is no longer so.
 */
export async function openStore(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  migrations: Migrations,
  log: Log,
  onDeath: (cause: unknown) => void,
): Promise<Store> {
  if (config.databaseUrl !== null) return openPostgres(config.databaseUrl, migrations, log);
  refuseMoved(config);
  makeFolder(resolve(config.dataDir));
  return await openSqlite(databaseFile(config), migrations, log, onDeath);
}

/** Where SQLite keeps everything. */
export function databaseFile({ dataDir }: Pick<Config, 'dataDir'>): string {
  return join(dataDir, 'throughline.db');
}
