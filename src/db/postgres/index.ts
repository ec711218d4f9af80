import { setTimeout as sleep } from 'node:timers/promises';
import { Kysely, sql } from 'kysely';
import type pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Log } from '../../lib/log.ts';
import type { Database } from '../../schema/tables.ts';
import { assertFullyDistributed, isDistributed } from '../citus/check-distribution.ts';
import { hasCommitFunction, toNodeCommit } from '../citus/commit-on-node.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import { logTo, type Observe } from '../observe.ts';
import type { ColumnTypes, DatabaseDescription, Db, Migrations, NewRows, Store, Write } from '../store.ts';
import { assertUsableSessions } from './check-sessions.ts';
import { commit, commitInTurn, toOneStatement } from './commit.ts';
import { onOwnConnections, openPool, settingsOf } from './connections.ts';
import { PostgresEngine, postgresDialect } from './engine.ts';
import { insertRowTexts } from './insert-row-texts.ts';
import { migrateBeside } from './migrate-beside.ts';
import { parseAsSqlite } from './parsers.ts';
import { partitions } from './partitions.ts';
import type { PatientPool } from './patient-pool.ts';
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
/** For statements of requests: the server's limit, and the client's if the server does not respond. */
const STATEMENT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = 11_000;
/** For background work on partitions. */
const MAINTENANCE_TIMEOUT_MS = 60_000;
const MAX_CONNECTIONS = 10;
/** Forces index scans: a plan that was cached for an empty table or partition stays in use when it has grown. */
const PLANNER_OPTIONS = '-c enable_seqscan=off -c jit=off';
/**
 * By default PostgreSQL replans every statement on a partitioned table: it overestimates the cost of a generic plan, which
 * reads only the partition of the key. Not on Citus, which needs the values to plan.
 */
const USE_GENERIC_PLANS = `select set_config('plan_cache_mode', 'force_generic_plan', false)
  where to_regclass('pg_dist_partition') is null`;

/** Opens a pool; it connects with the first query. */
export function openPostgres(databaseUrl: string, migrations: Migrations, log: Log, observe: Observe): Store {
  const settings: pg.PoolConfig = {
    ...settingsOf(databaseUrl),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    types: parseAsSqlite,
  };
  const pool = openRequestPool(settings, log);
  const engine = new PostgresEngine();
  const db = new Kysely<Database>({ dialect: postgresDialect(pool, engine), log: logTo(observe) });
  const withoutTimeout = onOwnConnections(settings, log);
  let commitsOnNodes = false;
  return {
    db,
    checkSessions: async () => await assertUsableSessions(pool),
    async migrate() {
      await assertUsableSessions(pool);
      const options = { withoutTimeout, log };
      return await migrateBeside(options, (db, lock) => migrate(db, migrations, types, lock));
    },
    async checkDistribution() {
      await assertFullyDistributed(db);
      commitsOnNodes = (await isDistributed(db)) && (await hasCommitFunction(db));
    },
    async pendingMigrations() {
      await sql`select 1`.execute(db);
      return await pendingMigrations(db, migrations, types);
    },
    listIndexNames: () => listIndexNames(db),
    damage: () => undefined,
    isShort: () => pool.isShort,
    connections: () => pool.connections,
    async commit(statements, appId) {
      if (!statements.every(isOfOneRow)) return await commitInTurn(pool, statements);
      return await commit(
        pool,
        statements,
        (all) =>
          (commitsOnNodes && appId !== undefined ? toNodeCommit(appId, all) : null) ?? toOneStatement(all),
      );
    },
    insertRowTexts: (into, texts) =>
      insertRowTexts(pool, (table) => engine.columnTypes(db, table), into, texts),
    describe: () => describe(db),
    databaseNowMs: () => databaseNowMs(db),
    withoutTimeout,
    async waitForTransactions(goOn) {
      const { rows } = await pool.query<{ now: string }>('select clock_timestamp()::text as now');
      while (await hasTransactionBefore(pool, rows[0]?.now ?? '')) {
        await goOn();
        await sleep(POLL_MS);
      }
    },
    // A dump holds current rows only; autovacuum removes old versions.
    scrubFiles: async () => undefined,
    // Autovacuum and dropped partitions free the space.
    vacuumIfDue: async () => undefined,
    ...partitions(onOwnConnections({ ...settings, query_timeout: MAINTENANCE_TIMEOUT_MS }, log), log),
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
    async close() {
      await db.destroy();
      // Kysely ends a pool that it has used only.
      if (!pool.ended) await pool.end();
    },
  };
}

async function listIndexNames(db: Kysely<Database>): Promise<Set<string>> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_index join pg_class on pg_class.oid = indexrelid
    where relnamespace = current_schema()::regnamespace and indisvalid`.execute(db);
  return new Set(rows.map(({ name }) => name));
}

function isOfOneRow(statement: Write | NewRows): statement is Write {
  return !('text' in statement) && (statement.rows ?? 1) <= 1;
}

async function describe(db: Db): Promise<DatabaseDescription> {
  const { version, bytes } = await db
    .selectNoFrom([
      sql<string>`current_setting('server_version')`.as('version'),
      sql<number>`pg_database_size(current_database())`.as('bytes'),
    ])
    .executeTakeFirstOrThrow();
  return { engine: 'postgres', version, bytes };
}

async function databaseNowMs(db: Db): Promise<number> {
  const { rows } = await sql<{ now: string }>`select clock_timestamp() as now`.execute(db);
  return Date.parse(rows[0]?.now ?? '');
}

function openRequestPool(settings: pg.PoolConfig, log: Log): PatientPool {
  return openPool(
    {
      ...settings,
      Client: PreparingClient,
      options: `${settings.options} ${PLANNER_OPTIONS}`,
      max: MAX_CONNECTIONS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: QUERY_TIMEOUT_MS,
      // Queued before the first query, which fails if this one does.
      onConnect: (client) => client.query(USE_GENERIC_PLANS),
    },
    log,
  );
}

const POLL_MS = 10;

/** Looks at transactions of the service only: other sessions, such as dumps, do not write records. */
async function hasTransactionBefore(pool: pg.Pool, before: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    `select 1 from pg_stat_activity where datname = current_database() and usename = current_user
       and application_name = current_setting('application_name')
       and pid <> pg_backend_pid() and xact_start < $1::timestamptz limit 1`,
    [before],
  );
  return rowCount !== 0;
}
