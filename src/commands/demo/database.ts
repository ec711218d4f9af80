import { sql } from 'kysely';
import { migrations } from '../../../migrations/index.ts';
import { openFoundation } from '../../app.ts';
import type { Config } from '../../config.ts';
import { isShared, isUnavailable, openStore, toStartError } from '../../db/index.ts';
import { StartError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { MINUTE_MS } from '../../lib/clock.ts';
import {
  type DataDir,
  DataDirInUse,
  findRootSecrets,
  openDataDir,
  type RootSecrets,
} from '../../lib/data-dir/index.ts';
import { createLog } from '../../lib/log.ts';
import { withDataDir } from '../existing-data.ts';

const log = createLog('warn', { to: 'stderr' });
const onDeath = (cause: unknown) => {
  throw cause;
};

/**
 * Runs `work` on the database, also while a server holds the data directory: the records then go through a connection
 * beside the server's, and what it reads of them is in the database.
 * @throws StartError if the database or the data directory cannot be used.
 */
export async function withDatabase<T>(
  given: Config,
  work: (foundation: Foundation) => Promise<T>,
): Promise<T> {
  return await withDataDir(given, async (config) => {
    const dataDir = takeDataDir(config);
    try {
      const foundation = await openFoundation(
        config,
        { log, onDeath },
        dataDir ?? (await besideServer(config)),
      );
      await waitLonger(foundation);
      return await work(foundation).finally(() => foundation.store.close());
    } catch (error) {
      throw isUnavailable(error) ? toStartError(config, error) : error;
    } finally {
      dataDir?.release();
    }
  });
}

/** A busy service leaves little time between its transactions. */
async function waitLonger({ db }: Pick<Foundation, 'db'>): Promise<void> {
  if (!isShared(db)) await sql.raw(`pragma busy_timeout = ${MINUTE_MS}`).execute(db);
}

/** Null while another process holds it. */
function takeDataDir(config: Config): DataDir | null {
  try {
    return openDataDir(config);
  } catch (error) {
    if (error instanceof DataDirInUse) return null;
    throw error;
  }
}

/** @throws StartError before a migration would change tables under a server of another version. */
async function besideServer(config: Config): Promise<RootSecrets> {
  const secrets = findRootSecrets(config);
  const store = await openStore(config, migrations, log, onDeath);
  const pending = await store.pendingMigrations().finally(() => store.close());
  if (secrets === null || pending.length > 0)
    throw new StartError(
      `The process that holds ${config.dataDir} has not migrated the database to this version. Restart it, then run this again.`,
    );
  return secrets;
}
