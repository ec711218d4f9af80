import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';

export interface Filled {
  /** URL of a PostgreSQL database, or path of a SQLite file. */
  readonly database: string;
  readonly appIds: readonly string[];
  readonly paths: number;
}

/** The path of a link, by its number among all. */
export const pathOf = (index: number) => `sale/${index}`;
/** The app that has it: each app has the same number of neighbours. */
export const ownerOf = ({ appIds, paths }: Filled, index: number) =>
  appIds[Math.floor(index / (paths / appIds.length))] ?? '';

/** The secondary indexes are dropped and made again, which takes a fraction of the time. */
export async function fillPaths(filled: Filled): Promise<void> {
  const isPostgres = filled.database.startsWith('postgres');
  const run = isPostgres ? await openPostgres(filled.database) : openSqlite(filled.database);
  const indexes = await run.rows(
    isPostgres
      ? "select indexname as name, indexdef as definition from pg_indexes where tablename = 'links' and indexname not like '%pkey'"
      : "select name, sql as definition from sqlite_master where tbl_name = 'links' and type = 'index' and sql is not null",
  );
  for (const { name } of indexes) await run.statement(`drop index ${name}`);
  await run.statement('create table bench_apps (place integer primary key, id text not null)');
  for (const [place, id] of filled.appIds.entries())
    await run.statement(`insert into bench_apps values (${place}, '${id}')`);
  for (const statement of isPostgres ? postgresRows(filled) : sqliteRows(filled))
    await run.statement(statement);
  for (const { definition } of indexes) await run.statement(String(definition));
  await run.statement('drop table bench_apps');
  await run.statement(isPostgres ? 'vacuum analyze links' : 'analyze');
  await run.close();
}

const COLUMNS =
  'app_id, id, short_code, deep_link_path, deep_link_params, metadata, sandbox, created_at, updated_at, path, fallback_url';
const TIME = "'2026-11-01T00:00:00.000Z'";
const rest = `'/p', '{}', '{}', 0, ${TIME}, ${TIME}, 'sale/' || i, 'https://www.example.com/'`;

function sqliteRows({ paths, appIds }: Filled): string[] {
  const numbers = `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${paths - 1})`;
  const from = `from n join bench_apps a on a.place = i / ${paths / appIds.length}`;
  const id = "printf('01990000-0000-7000-8000-%012x', i)";
  return [
    `${numbers} insert into links (${COLUMNS}) select a.id, ${id}, printf('b%08x', i), ${rest} ${from}`,
    `${numbers} insert into short_codes (code, app_id, link_id) select printf('b%08x', i), a.id, ${id} ${from}`,
  ];
}

function postgresRows({ paths, appIds }: Filled): string[] {
  const from = `from generate_series(0, ${paths - 1}) i join bench_apps a on a.place = i / ${paths / appIds.length}`;
  const id = "('01990000-0000-7000-8000-' || lpad(to_hex(i), 12, '0'))::uuid";
  const code = "'b' || lpad(to_hex(i), 8, '0')";
  return [
    `insert into links (${COLUMNS}) select a.id::uuid, ${id}, ${code}, ${rest} ${from} order by i`,
    `insert into short_codes (code, app_id, link_id) select ${code}, a.id::uuid, ${id} ${from} order by i`,
  ];
}

interface Runner {
  statement(text: string): Promise<void>;
  rows(text: string): Promise<readonly Readonly<Record<string, unknown>>[]>;
  close(): Promise<void>;
}

function openSqlite(path: string): Runner {
  const db = new DatabaseSync(path);
  // Only while the file is filled.
  db.exec('pragma synchronous = off; pragma cache_size = -400000');
  return {
    statement: async (text) => db.exec(text),
    rows: async (text) => db.prepare(text).all(),
    close: async () => db.close(),
  };
}

async function openPostgres(url: string): Promise<Runner> {
  const client = new pg.Client(url);
  await client.connect();
  await client.query("set maintenance_work_mem = '400MB'");
  return {
    statement: async (text) => void (await client.query(text)),
    rows: async (text) => (await client.query(text)).rows,
    close: () => client.end(),
  };
}
