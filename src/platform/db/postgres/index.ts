import { Kysely, PostgresDialect, sql } from 'kysely';
import pg from 'pg';
import { RateLimiterPostgres } from 'rate-limiter-flexible';
import type { Log } from '../../log.ts';
import { migrate, pendingMigrations } from '../migrate.ts';
import type { ColumnTypes, Migrations, Store } from '../store.ts';
import type { Tables } from '../tables.ts';
import { commit } from './commit.ts';
import { parseAsSqlite } from './parsers.ts';
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
};

const CONNECT_TIMEOUT_MS = 5_000;
/** No request waits longer for a statement: the database ends it, and where it is silent we do, a little later. */
const STATEMENT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 11_000;
const MAX_CONNECTIONS = 10;

/** Opens a pool of connections; none is made before the first query. */
export function openPostgres(databaseUrl: string, migrations: Migrations, log: Log): Store {
  const settings: pg.PoolConfig = {
    connectionString: databaseUrl,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'throughline',
    // Read committed: the loser of a race for a row sees what the winner wrote.
    options: '-c timezone=UTC -c datestyle=ISO -c default_transaction_isolation=read\\ committed',
    types: parseAsSqlite,
  };
  const pool = new pg.Pool({
    ...settings,
    Client: PreparingClient,
    max: MAX_CONNECTIONS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    query_timeout: SILENCE_TIMEOUT_MS,
  });
  // An idle connection that breaks is replaced by the next query; without a listener it would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  const db = new Kysely<Tables>({ dialect: new PostgresDialect({ pool }) });
  const jsonInserts = jsonInsertStatements(pool);
  return {
    engine: 'postgres',
    isShared: true,
    db,
    async migrate() {
      // On connections of their own: a migration of a large table may take longer than any request's statement.
      const patient = new Kysely<Tables>({
        dialect: new PostgresDialect({ pool: new pg.Pool({ ...settings, max: 2 }) }),
      });
      return await migrate(patient, migrations, types).finally(() => patient.destroy());
    },
    async pendingMigrations() {
      await sql`select 1`.execute(db);
      return await pendingMigrations(db, migrations, types);
    },
    commit: (steps) => commit(pool, steps),
    async insertJsonRows(table, columns, jsonArrays) {
      // A JSON array's text without its brackets, joined, is the larger array's.
      const rows = `[${jsonArrays.map((json) => json.slice(1, -1)).join(',')}]`;
      const text = await jsonInserts(table, columns);
      await pool.query({ name: `insert json rows into ${table}`, text, values: [rows] });
    },
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

/**
 * Statements that insert JSON arrays of rows, made once for each table: every value is cast to its column's type.
 * `json_populate_recordset` would know the types by itself, but takes nearly twice as long for a row.
 */
function jsonInsertStatements(
  pool: pg.Pool,
): (table: keyof Tables, columns: readonly string[]) => Promise<string> {
  const made = new Map<string, string>();
  return async (table, columns) => {
    const known = made.get(table);
    if (known !== undefined) return known;
    const types = await columnTypes(pool, table);
    const values = columns.map((column, place) => `(r ->> ${place})::${types.get(column)}`);
    const statement = `insert into ${table} (${columns.join(', ')})
      select ${values.join(', ')} from jsonb_array_elements($1::jsonb) as r on conflict do nothing`;
    made.set(table, statement);
    return statement;
  };
}

async function columnTypes(pool: pg.Pool, table: string): Promise<Map<string, string>> {
  const { rows } = await pool.query<{ name: string; type: string }>(
    `select attname as name, format_type(atttypid, atttypmod) as type from pg_attribute
     where attrelid = $1::regclass and attnum > 0 and not attisdropped`,
    [table],
  );
  return new Map(rows.map(({ name, type }) => [name, type]));
}
