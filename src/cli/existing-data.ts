import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { migrations } from '../../migrations/index.ts';
import type { Config } from '../platform/config.ts';
import { isDataDir } from '../platform/data-dir/index.ts';
import { databaseFile, listTableNames, openStore } from '../platform/db/index.ts';
import { StartError } from '../platform/errors.ts';
import { createLog } from '../platform/log.ts';

/** @throws StartError where nothing was ever stored; nothing is made there to find that out. */
export async function refuseWithoutData(config: Config): Promise<void> {
  if (config.databaseUrl !== null) {
    if (!(await hasTables(config)))
      throw new StartError(
        'There is no Throughline data in the database of DATABASE_URL; set another one or start the service there first.',
      );
  } else if (!existsSync(databaseFile(config)))
    throw new StartError(
      `There is no Throughline data in ${resolve(config.dataDir)}; set DATA_DIR or start the service there first.`,
    );
}

/** True also for a database that cannot be asked: whoever opens it says what is wrong with it. */
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
 * Runs `work` with a data directory that it may use. With the data in PostgreSQL the command line needs none of its
 * own: where `DATA_DIR` is no server's, nor a backup of one, a passing one spares the folder.
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
