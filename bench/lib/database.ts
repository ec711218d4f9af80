/** Reads a service's database while the service runs. */
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

type Row = Readonly<Record<string, unknown>>;

export interface DatabaseReader extends AsyncDisposable {
  readonly isPostgres: boolean;
  /** @param values of `$1`, `$2` …, which must appear in this order. */
  rows(sql: string, values?: readonly (string | number)[]): Promise<readonly Row[]>;
}

/** @param database URL of a PostgreSQL database, or path of a SQLite file. */
export async function openReader(database: string): Promise<DatabaseReader> {
  return database.startsWith('postgres') ? await readPostgres(database) : readSqlite(database);
}

function readSqlite(path: string): DatabaseReader {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  return {
    isPostgres: false,
    rows: async (sql, values = []) => db.prepare(sql.replaceAll(/\$\d/g, '?')).all(...values),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

async function readPostgres(databaseUrl: string): Promise<DatabaseReader> {
  const client = new pg.Client(databaseUrl);
  // The next query reports a lost connection.
  client.on('error', () => undefined);
  await client.connect();
  return {
    isPostgres: true,
    rows: async (sql, values = []) => (await client.query<Row>(sql, [...values])).rows,
    [Symbol.asyncDispose]: () => client.end(),
  };
}

/** The column `n` of the first row. */
export async function readNumber(
  reader: DatabaseReader,
  sql: string,
  values?: readonly (string | number)[],
): Promise<number> {
  return Number((await reader.rows(sql, values))[0]?.n);
}

export async function countRows(reader: DatabaseReader, table: string): Promise<number> {
  return await readNumber(reader, `select count(*) as n from ${table}`);
}

const APP = '(select app_id from bootstraps)';

/** By the primary key: a click's id (UUIDv7) begins with its time. */
export async function countClicks(reader: DatabaseReader, sinceMs = 0): Promise<number> {
  const digits = sinceMs.toString(16).padStart(12, '0');
  const firstId = `${digits.slice(0, 8)}-${digits.slice(8)}-0000-0000-000000000000`;
  return await readNumber(reader, `select count(*) as n from clicks where app_id = ${APP} and id >= $1`, [
    firstId,
  ]);
}

export async function countEvents(reader: DatabaseReader): Promise<number> {
  return await readNumber(reader, `select count(*) as n from events where app_id = ${APP}`);
}

/** Installs whose click is claimed by them. */
export async function countAttributedInstalls(reader: DatabaseReader): Promise<number> {
  return await readNumber(
    reader,
    `select count(*) as n from installs
    join clicks on clicks.app_id = installs.app_id and clicks.id = installs.click_id
    where clicks.claimed_by_install = installs.id`,
  );
}

/** Process ids of the PostgreSQL server, except that of the reader; none on SQLite. */
export async function listServerPids(reader: DatabaseReader): Promise<number[]> {
  if (!reader.isPostgres) return [];
  const rows = await reader.rows('select pid from pg_stat_activity where pid <> pg_backend_pid()');
  return rows.map(({ pid }) => Number(pid));
}

/** Connections of the service to PostgreSQL; 0 on SQLite. */
export async function countConnections(reader: DatabaseReader): Promise<number> {
  if (!reader.isPostgres) return 0;
  return await readNumber(
    reader,
    "select count(*) as n from pg_stat_activity where datname = current_database() and application_name = 'throughline'",
  );
}

/** Finished attempts of a webhook. */
interface AttemptCounts {
  readonly all: number;
  readonly successes: number;
  /** Distinct messages among the successes. */
  readonly messages: number;
}

export async function countAttempts(reader: DatabaseReader, webhookId: string): Promise<AttemptCounts> {
  const [row] = await reader.rows(
    `select count(*) as a, sum(success) as s,
    count(distinct case when success = 1 then message_id end) as m from webhook_attempts
    where app_id = ${APP} and webhook_id = $1`,
    [webhookId],
  );
  return { all: Number(row?.a), successes: Number(row?.s), messages: Number(row?.m) };
}

/** Deliveries of all webhooks that are due or in flight. */
export async function countQueued(reader: DatabaseReader): Promise<number> {
  return await readNumber(reader, 'select count(*) as n from webhook_queue');
}
