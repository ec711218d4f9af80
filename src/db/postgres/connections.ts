import { Kysely } from 'kysely';
import type pg from 'pg';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../schema/tables.ts';
import type { Db } from '../store.ts';
import { type ColumnTypesByName, PostgresEngine, postgresDialect, readColumnTypes } from './engine.ts';
import { PatientPool } from './patient-pool.ts';

/**
 * Overridable by `options` in DATABASE_URL. After a crash or a network failure of the client, the server would otherwise
 * keep its transactions and locks for TCP's default of two hours. Citus waits half a minute for a silent node, longer than a
 * statement may take; PostgreSQL ignores that option.
 */
const DEFAULT_OPTIONS =
  '-c citus.node_connection_timeout=5000 -c idle_in_transaction_session_timeout=30s -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';
const KEEP_ALIVE_DELAY_MS = 30_000;

/** Required by `parsers.ts` and by statements that rely on read committed. */
const REQUIRED_OPTIONS = '-c timezone=UTC -c datestyle=ISO -c default_transaction_isolation=read\\ committed';
/** `db distribute` detects a running service by it. */
const APPLICATION_NAME = 'throughline';

/** Parameters of DATABASE_URL that are passed to `pg`: address, credentials, certificates. */
const ALLOWED_PARAMETERS = new Set([
  'host',
  'port',
  'user',
  'password',
  'ssl',
  'sslmode',
  'sslcert',
  'sslkey',
  'sslrootcert',
  'sslnegotiation',
  'uselibpqcompat',
]);
/** Aliases of verify-full in `pg`, for which it prints a warning. */
const VERIFY_FULL_ALIASES = /^(prefer|require|verify-ca)$/;

/** Parameters of the URL override settings in `pg`, so that only those in `ALLOWED_PARAMETERS` are kept. */
export function settingsOf(databaseUrl: string): pg.PoolConfig & { options: string } {
  const url = new URL(databaseUrl);
  const { searchParams } = url;
  const own = searchParams.get('options') ?? '';
  for (const name of [...searchParams.keys()]) if (!ALLOWED_PARAMETERS.has(name)) searchParams.delete(name);
  const isLibpq = searchParams.get('uselibpqcompat') === 'true';
  if (!isLibpq && VERIFY_FULL_ALIASES.test(searchParams.get('sslmode') ?? ''))
    searchParams.set('sslmode', 'verify-full');
  return {
    connectionString: url.href,
    application_name: APPLICATION_NAME,
    client_encoding: 'UTF8',
    options: [DEFAULT_OPTIONS, own, REQUIRED_OPTIONS].join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_DELAY_MS,
  };
}

/** A broken connection fails its own queries only, not the pool or the process. */
export function openPool(config: pg.PoolConfig, log: Log): PatientPool {
  const pool = new PatientPool(config, (err, connections) =>
    log.warn(
      { condition: 'connection limit', err, connections },
      'PostgreSQL refuses further connections: calls wait for those that this process has. Raise max_connections, or run fewer processes',
    ),
  );
  pool.on('error', (error) =>
    log.warn({ condition: 'idle connection', err: error }, 'Lost an idle database connection'),
  );
  // In a transaction the statements fail, which suffices.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Runs work on separate connections, which close afterwards. */
export type RunWithDb = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Of one such work. They come on top of the process's pool. */
const MAX_OWN_CONNECTIONS = 2;

/** @param settings time limits included, if the work has any. */
export function onOwnConnections(settings: pg.PoolConfig, log: Log): RunWithDb {
  return async (work) => {
    const pool = openPool({ ...settings, max: MAX_OWN_CONNECTIONS }, log);
    const db = new Kysely<Database>({ dialect: postgresDialect(pool, new MigratingEngine()) });
    return await work(db).finally(() => db.destroy());
  };
}

/**
 * Migrations hold a lock of their transaction (`lockMigrations`): Kysely's lock cannot be released after a failure. Types of
 * columns are read each time, since a migration may change them.
 */
class MigratingEngine extends PostgresEngine {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
  override async columnTypes(db: Db, table: string): Promise<ColumnTypesByName> {
    return await readColumnTypes(db, table);
  }
}
