import type { Config } from '../config.ts';
import { StartError } from '../errors.ts';
import { SECOND_MS } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import { INDEXES } from '../schema/indexes.ts';
import { TABLES } from '../schema/placements.ts';
import { isShared } from './engine.ts';
import { explainFault, mayPass } from './explain-fault.ts';
import { isOfSqlite } from './faults.ts';
import { listTableNames } from './list-table-names.ts';
import { MigrationFailed } from './migrate.ts';
import type { Observe } from './observe.ts';
import { databaseFile, openStore } from './open-store.ts';
import type { ColumnTypes, Migrations, Store } from './store.ts';
import { explainFailedUpgrade, forgetFailedUpgrade, prepareUpgrade, type UpgradeOptions } from './upgrade.ts';

/** Longer than SQLite's busy timeout. */
const WARN_EVERY_MS = 15 * SECOND_MS;

export interface OpenOptions extends Partial<Omit<UpgradeOptions, 'log'>> {
  readonly log: Log;
  readonly onDeath: (cause: unknown) => void;
  readonly observe?: Observe;
}

/**
 * Opens the configured database and applies pending migrations, those of a SQLite file after a copy of it.
 * @param onDeath called when the store can never write again in this process.
 * @returns the store and the names of the applied migrations.
 * @throws StartError with cause and remedy in one line.
 */
export async function openMigrated(
  config: Pick<Config, 'databaseUrl' | 'dataDir'>,
  migrations: Migrations,
  { log, onDeath, observe, copies = true, triesAgain = false }: OpenOptions,
): Promise<{ store: Store; applied: readonly string[] }> {
  let store: Store | undefined;
  const waiting = setInterval(
    () => log.warn('Still waiting for the database: it is busy, does not respond, or its tables are locked'),
    WARN_EVERY_MS,
  );
  try {
    await prepareUpgrade(config, namesOf(migrations), { log, copies, triesAgain });
    store = await openStore(config, migrations, log, onDeath, observe);
    const applied = await store.migrate();
    forgetFailedUpgrade(config);
    await assertComplete(store);
    await store.checkDistribution();
    await assertNotMoving(store);
    return { store, applied };
  } catch (error) {
    await store?.close().catch(() => undefined);
    if (!(error instanceof MigrationFailed)) throw toStartError(config, error);
    throw error.isFirst ? toStartError(config, error.cause) : explainFailedUpgrade(config, error);
  } finally {
    clearInterval(waiting);
  }
}

/** They do not depend on the engine. */
function namesOf(migrations: Migrations): string[] {
  return Object.keys(migrations({} as ColumnTypes));
}

/** Detects an incomplete restore, which migrations do not repair. */
async function assertComplete(store: Store): Promise<void> {
  const [tables, indexes] = [await listTableNames(store.db), await store.listIndexNames()];
  const needed = isShared(store.db) ? [...TABLES, 'rate_limits'] : TABLES;
  const missing = [
    ...needed.filter((name) => !tables.has(name)).map((name) => `table ${name}`),
    // pg_restore creates indexes last.
    ...INDEXES.filter((name) => !indexes.has(name)).map((name) => `index ${name}`),
  ];
  if (missing.length > 0)
    throw new StartError(
      `The database lacks ${missing.join(', ')}: a restore was probably interrupted. Restore a complete backup (docs/guide/backup.md).`,
    );
}

/**
 * Explains a database error to the operator, without the password. Commands that use both databases rely on the error's
 * origin: errors of SQLite name the file, others DATABASE_URL.
 * @returns a StartError unchanged.
 */
export function toStartError(config: Pick<Config, 'databaseUrl' | 'dataDir'>, error: unknown): StartError {
  if (error instanceof StartError) return error;
  if (error instanceof MigrationFailed) return toStartError(config, error.cause);
  const databaseUrl = isOfSqlite(error) ? null : config.databaseUrl;
  const database =
    databaseUrl === null ? `The database ${databaseFile(config)}` : 'The database of DATABASE_URL';
  return new StartError(`${database} cannot be used: ${explainFault(error, databaseUrl)}.`, {
    cause: error,
    mayPass: mayPass(error),
  });
}

/** @throws StartError if a move has not ended, so that data is missing or unchecked, or if the data is in a SQLite file. */
async function assertNotMoving({ db }: Store): Promise<void> {
  const move = await db.selectFrom('moves').select(['ended_at', 'target']).executeTakeFirst();
  if (move === undefined || !isShared(db)) return;
  const back = 'To go back to this database as it was then, run “delete from moves” in it.';
  if (move.target === 'sqlite' && move.ended_at !== null)
    throw new StartError(
      `The data in the database of DATABASE_URL was moved to a SQLite file at ${move.ended_at}: remove DATABASE_URL, and start with the DATA_DIR of that file. ${back}`,
    );
  if (move.target === 'sqlite')
    throw new StartError(
      `A move from the database of DATABASE_URL to a SQLite file has not ended. Run “throughline db move --to-sqlite” again, which starts over. ${back}`,
    );
  if (move.ended_at === null)
    throw new StartError(
      'A move to the database of DATABASE_URL has not ended. Run “throughline db move” again, which starts over.',
    );
}
