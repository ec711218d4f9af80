import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import type { Config } from '../config.ts';
import { databaseFile, listTableNames, openStore } from '../db/index.ts';
import { StartError } from '../errors.ts';
import { isDataDir } from '../lib/data-dir/index.ts';
import { createLog } from '../lib/log.ts';

/** Checks without creating anything. @throws StartError if the data directory or database holds no Throughline data. */
export async function requireExistingData(config: Config): Promise<void> {
  if (config.databaseUrl !== null) {
    if (!(await hasTables(config)))
      throw new StartError(
        'There is no Throughline data in the database of DATABASE_URL; set another one or start the service there first.',
        { mayPass: true },
      );
  } else if (!existsSync(databaseFile(config)))
    throw new StartError(
      `There is no Throughline data in ${resolve(config.dataDir)}; set DATA_DIR or start the service there first.`,
      { mayPass: true },
    );
}

/** Also true if the query fails: opening the database reports the cause. */
async function hasTables(config: Config): Promise<boolean> {
  const store = await openStore(config, migrations, createLog('silent'), () => undefined);
  try {
    return (await listTableNames(store.db)).has('apps');
  } catch {
    return true;
  } finally {
    await store.close();
  }
}

/**
 * Runs `work` with a usable data directory: a temporary one if the data is in PostgreSQL and `DATA_DIR` holds neither a
 * server's data nor a backup, so that the command does not create the folder.
 */
export async function withDataDir<T>(config: Config, work: (config: Config) => Promise<T>): Promise<T> {
  if (config.databaseUrl === null || isDataDir(config) || existsSync(databaseFile(config)))
    return await work(config);
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-'));
  try {
    return await work({ ...config, dataDir });
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
