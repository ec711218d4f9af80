import { SECOND_MS } from '../clock.ts';
import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import type { Log } from '../log.ts';
import { TABLES } from './citus/index.ts';
import { explainFault } from './explain-fault.ts';
import { isOfSqlite } from './faults.ts';
import { INDEXES } from './indexes.ts';
import { listTableNames } from './list-table-names.ts';
import { refuseUnfinishedMove } from './move/index.ts';
import { databaseFile, openStore } from './open-store.ts';
import type { Migrations, Store } from './store.ts';

/** Longer than whatever ends by itself, such as a SQLite file that somebody has locked. */
const WAITING_IS_NEWS_EVERY_MS = 15 * SECOND_MS;

/**
 * Opens the database that the configuration names, and applies what is missing of the migrations.
 * @param onDeath called when the store can never write again in this process.
 * @returns the store, and the names of the migrations that were applied.
 * @throws StartError that says in one line what is wrong with the database and what to do.
 */
export async function openMigrated(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  migrations: Migrations,
  { log, onDeath }: { log: Log; onDeath: (cause: unknown) => void },
): Promise<{ store: Store; applied: readonly string[] }> {
  let store: Store | undefined;
  const waiting = setInterval(
    () =>
      log.warn(
        'the start still waits for the database: it has much to do, is silent, or keeps its tables locked',
      ),
    WAITING_IS_NEWS_EVERY_MS,
  );
  try {
    store = await openStore(config, migrations, log, onDeath);
    const applied = await store.migrate();
    await refuseIncomplete(store);
    await store.checkDistribution();
    await refuseUnfinishedMove(store);
    return { store, applied };
  } catch (error) {
    await store?.close().catch(() => undefined);
    throw databaseRefused(config, error);
  } finally {
    clearInterval(waiting);
  }
}

/** Migrations are not applied a second time: what a restore left out stays out. */
async function refuseIncomplete(store: Store): Promise<void> {
  const [tables, indexes] = [await listTableNames(store.db), await store.listIndexNames()];
  const needed = store.isShared ? [...TABLES, 'rate_limits'] : TABLES;
  const missing = [
    ...needed.filter((name) => !tables.has(name)).map((name) => `table ${name}`),
    // A restore makes them last.
    ...INDEXES.filter((name) => !indexes.has(name)).map((name) => `index ${name}`),
  ];
  if (missing.length > 0)
    throw new StartError(
      `The database lacks ${missing.join(', ')}, as one does whose restore was cut short. Restore a backup of it as a whole (docs/backup.md).`,
    );
}

/**
 * What does work on both databases names the one whose fault it is.
 * @returns `error` itself where it says what to do; never with the password.
 */
export function databaseRefused(config: Pick<Config, 'databaseUrl' | 'dataDir'>, error: unknown): StartError {
  if (error instanceof StartError) return error;
  const databaseUrl = isOfSqlite(error) ? null : config.databaseUrl;
  const what = databaseUrl === null ? `The database ${databaseFile(config)}` : 'The database of DATABASE_URL';
  return new StartError(`${what} cannot be used: ${explainFault(error, databaseUrl)}.`, { cause: error });
}
