import { randomInt } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { isExpression, Kysely, PostgresDialect, type SqlBool, sql } from 'kysely';
import type pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Log } from '../../log.ts';
import { refusePartlySpread } from '../citus/index.ts';
import { insertMany, insertMissing } from '../many-rows.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import type { ColumnTypes, Db, Migrations, Store } from '../store.ts';
import type { Tables } from '../tables.ts';
import { listClicksPage, listRecentClicks } from './clicks-from-address.ts';
import { commit } from './commit.ts';
import {
  connectionsAllowed,
  MAX_OWN_CONNECTIONS,
  onOwnConnections,
  openPool,
  refuseOtherSessions,
  settingsOf,
} from './connections.ts';
import { insertRowTexts } from './insert-row-texts.ts';
import { columnTypes, jsonRowsOf } from './json-rows.ts';
import { parseAsSqlite } from './parsers.ts';
import { partitions } from './partitions.ts';
import { PreparingClient } from './preparing-client.ts';

const types: ColumnTypes = {
  engine: 'postgres',
  uuid: 'uuid',
  timestamp: 'timestamptz(3)',
  json: 'json',
  integer: 'bigint',
  flag: 'smallint',
  text: 'text collate "C"',
  tableSuffix: '',
  keyedTableSuffix: '',
  arrival: '',
  partitionedByTime: ' partition by range (id)',
};

const CONNECT_TIMEOUT_MS = 5_000;
/** No request waits longer for a statement: the database ends it, and where it is silent we do, a little later. */
const STATEMENT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 11_000;
/** Of what nobody waits for. */
const UNHURRIED_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 10;
/** Rows are found by keys: a plan that was kept from when a table, or today's partition, was empty must still do. */
const BY_KEYS = '-c enable_seqscan=off -c jit=off';
/**
 * Left to itself, PostgreSQL plans each statement on a partitioned table anew, since it takes a plan for all partitions
 * to read all of them, where only the one of the key is looked into. Citus needs the values to plan at all.
 */
const PLAN_ONCE = `select set_config('plan_cache_mode', 'force_generic_plan', false)
  where to_regclass('pg_dist_partition') is null`;

/** Opens a pool of connections; none is made before the first query. */
export function openPostgres(databaseUrl: string, migrations: Migrations, log: Log): Store {
  const settings: pg.PoolConfig = {
    ...settingsOf(databaseUrl),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: parseAsSqlite,
  };
  const pool = openImpatientPool(settings, log);
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const patiently = onOwnConnections(settings, log);
  const typesOf = columnTypes();
  return {
    isShared: true,
    db,
    async migrate() {
      await refuseOtherSessions(db);
      return await patiently((patient) => migrate(patient, migrations, types, lockMigrations(log)));
    },
    checkDistribution: () => refusePartlySpread(db),
    async pendingMigrations() {
      await sql`select 1`.execute(db);
      return await pendingMigrations(db, migrations, types);
    },
    async listIndexNames() {
      const { rows } = await sql<{ name: string }>`
        select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
        where relnamespace = current_schema()::regnamespace and indisvalid`.execute(db);
      return new Set(rows.map(({ name }) => name));
    },
    damage: () => undefined,
    commit: (statements) => commit(pool, statements),
    async insertMany(db, table, rows) {
      await insertMany(db, table, rows, jsonRowsOf(await typesOf(db, table)));
    },
    insertMissing: async (db, table, rows, column) =>
      await insertMissing(db, { table, column }, rows, jsonRowsOf(await typesOf(db, table))),
    isAmong: (column, ids) =>
      sql<SqlBool>`${sql.ref(column)} = any(${isExpression(ids) ? sql`array(${ids})` : sql`${ids}::uuid[]`})`,
    listRecentClicks,
    listClicksPage,
    async planAfresh(tx) {
      await sql`set local plan_cache_mode = force_custom_plan`.execute(tx);
    },
    insertRowTexts: (into, texts) => insertRowTexts(pool, (table) => typesOf(db, table), into, texts),
    databaseNowMs: () => databaseNowMs(db),
    patiently,
    async settled(goOn) {
      const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now');
      while (await hasTransactionSince(pool, rows[0]?.now ?? '')) {
        await goOn();
        await sleep(SETTLED_AGAIN_MS);
      }
    },
    // A dump has rows as they are; what they were is vacuumed away by the database.
    scrubFiles: async () => undefined,
    // Autovacuum and dropped partitions do that.
    returnFreeSpace: async () => undefined,
    ...partitions(onOwnConnections({ ...settings, query_timeout: UNHURRIED_TIMEOUT_MS }, log), log),
    nextCountStripe: stripesInTurn(),
    connectionsOf: async (processes) => ({
      needed: processes * (MAX_CONNECTIONS + MAX_OWN_CONNECTIONS),
      allowed: await connectionsAllowed(db),
    }),
    sharedLimiter: (name, window) =>
      new RateLimiterPostgres({
        storeClient: pool,
        storeType: 'pool',
        tableName: 'rate_limits',
        tableCreated: true,
        clearExpiredByTimeout: true,
        keyPrefix: name,
        points: window.points,
        duration: window.seconds,
      }),
    close: () => db.destroy(),
  };
}

async function databaseNowMs(db: Db): Promise<number> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  return Date.parse(rows[0]?.now ?? '');
}

/** For what requests wait for. */
function openImpatientPool(settings: pg.PoolConfig, log: Log): pg.Pool {
  return openPool(
    {
      ...settings,
      Client: PreparingClient,
      options: `${settings.options} ${BY_KEYS}`,
      max: MAX_CONNECTIONS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: SILENCE_TIMEOUT_MS,
      // Ahead of whatever the connection is for, which fails too where this does.
      onConnect: (client) => client.query(PLAN_ONCE),
    },
    log,
  );
}

const MIGRATIONS_LOCK = 'throughline migrations';
/** Processes that start together wait for each other for less, which is no news. */
const WAITING_IS_NEWS_AFTER_MS = 1_000;

/** Goes with its transaction, hence with the connection of a process that is killed. */
function lockMigrations(log: Log): (tx: Db) => Promise<void> {
  return async (tx) => {
    const warning = setTimeout(
      () => log.warn('another process migrates the database: waiting until it is done'),
      WAITING_IS_NEWS_AFTER_MS,
    );
    await sql`select pg_advisory_xact_lock(hashtext(${MIGRATIONS_LOCK}))`
      .execute(tx)
      .finally(() => clearTimeout(warning));
  };
}

/** More than a process has connections, so that those that count alike at once do not wait for one another. */
const COUNT_STRIPES = 16;

function stripesInTurn(): () => number {
  // Processes begin anywhere, so as not to meet in the same stripe every time.
  let stripe = randomInt(COUNT_STRIPES);
  return () => {
    stripe = (stripe + 1) % COUNT_STRIPES;
    return stripe;
  };
}

const SETTLED_AGAIN_MS = 10;

/** Of ours alone: a dump, or somebody's open session, writes nothing back. */
async function hasTransactionSince(pool: pg.Pool, before: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and usename = current_user
       and application_name = current_setting('application_name')
       and pid <> pg_backend_pid() and xact_start < $1::timestamptz limit 1`,
    [before],
  );
  return rowCount !== 0;
}
