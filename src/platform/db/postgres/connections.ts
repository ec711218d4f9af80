import { Kysely, PostgresAdapter, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { StartError } from '../../errors.ts';
import type { Log } from '../../log.ts';
import { NO_SUCH_POOLER } from '../explain-fault.ts';
import type { Db } from '../store.ts';
import type { Tables } from '../tables.ts';

/**
 * A machine that loses its power, or its network, says nothing: the server would keep its transactions, and what they
 * lock, for as long as TCP does by itself, which is two hours.
 */
const UNLESS_TOLD =
  '-c idle_in_transaction_session_timeout=30s -c tcp_keepalives_idle=30 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3';
const KEEP_ALIVE_AFTER_MS = 30_000;

/** What every session needs: times as `parsers.ts` reads them; the loser of a race for a row sees what the winner wrote. */
const SESSION = '-c timezone=UTC -c datestyle=ISO -c default_transaction_isolation=read\\ committed';
/** By which `db distribute` sees that a service is running. */
const APPLICATION_NAME = 'throughline';

/** Where the server is, who asks, and by which certificates: of an address no more than this is passed on. */
const PASSED_ON = new Set([
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
/** For `pg` the same as verify-full, of which it warns at length. */
const VERIFYING_SSL_MODES = /^(prefer|require|verify-ca)$/;

/** `pg` has the parameters of an address win over settings, so those that we depend on are not left to it. */
export function settingsOf(databaseUrl: string): pg.PoolConfig & { options: string } {
  const url = new URL(databaseUrl);
  const { searchParams } = url;
  const own = searchParams.get('options') ?? '';
  for (const name of [...searchParams.keys()]) if (!PASSED_ON.has(name)) searchParams.delete(name);
  const isLibpqs = searchParams.get('uselibpqcompat') === 'true';
  if (!isLibpqs && VERIFYING_SSL_MODES.test(searchParams.get('sslmode') ?? ''))
    searchParams.set('sslmode', 'verify-full');
  return {
    connectionString: url.href,
    application_name: APPLICATION_NAME,
    client_encoding: 'UTF8',
    options: [UNLESS_TOLD, own, SESSION].join(' '),
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_AFTER_MS,
  };
}

/** @throws StartError where sessions are not what `SESSION` asks for: times would be read as others than they are. */
export async function refuseOtherSessions(db: Db): Promise<void> {
  const { rows } = await sql<{ zone: string }>`select current_setting('TimeZone') as zone`.execute(db);
  const zone = rows[0]?.zone;
  if (zone !== 'UTC')
    throw new StartError(
      `The database of DATABASE_URL has sessions of the time zone ${zone}, though UTC is asked for, so something in between drops what sessions are started with. ${NO_SUCH_POOLER}.`,
    );
}

/** Connections to one database. What breaks fails what was asked of it, and ends neither the pool nor the process. */
export function openPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool(config);
  // An idle one that breaks is replaced by the next query.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  // One that breaks in a transaction fails its statements, which is all that has to be known.
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Does something that may take longer than any request's statement, on connections of its own. */
export type Patiently = <T>(work: (db: Db) => Promise<T>) => Promise<T>;

/** Of one such work. They come on top of the process's pool. */
export const MAX_OWN_CONNECTIONS = 2;

/** @param settings with limits of time only where the work has some. */
export function onOwnConnections(settings: pg.PoolConfig, log: Log): Patiently {
  return async (work) => {
    const pool = openPool({ ...settings, max: MAX_OWN_CONNECTIONS }, log);
    const db = new Kysely<Tables>({ dialect: new PatientDialect({ pool }) });
    return await work(db).finally(() => db.destroy());
  };
}

/** How many connections the server allows, to all its databases together, without those reserved for its owners. */
export async function connectionsAllowed(db: Db): Promise<number> {
  const { rows } = await sql<{ allowed: number }>`
    select sum(case name when 'max_connections' then setting::int else -setting::int end)::int as allowed
    from pg_settings
    where name in ('max_connections', 'superuser_reserved_connections', 'reserved_connections')`.execute(db);
  return rows[0]?.allowed ?? 0;
}

class PatientDialect extends PostgresDialect {
  override createAdapter(): PostgresAdapter {
    return new UnlockedAdapter();
  }
}

/** Migrations lock by their transaction (`lockMigrations`): Kysely's lock cannot be let go of in one that failed. */
class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock(): Promise<void> {}
  override async releaseMigrationLock(): Promise<void> {}
}
