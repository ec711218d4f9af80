/** What a service and its database have used so far: processor time, log of writes, bytes on disk. */
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import pg from 'pg';
import { postgresTimeMs, postmasterOf, serviceTime } from './processor.ts';
import type { Service } from './service.ts';

/** All of them only grow. */
export interface Footprint {
  readonly mainThreadMs: number;
  readonly otherThreadsMs: number;
  /** All processes of the PostgreSQL server; 0 on SQLite. */
  readonly postgresMs: number;
  /** PostgreSQL's log of writes; 0 on SQLite. */
  readonly walBytes: number;
  /** What the service itself handed to the disk: its journal, and with SQLite the database and its log. */
  readonly writtenBytes: number;
}

export interface Meter extends AsyncDisposable {
  read(): Promise<Footprint>;
  /** Of a table, with its partitions, and of its indexes; of the table and its primary key together on SQLite. */
  bytesOf(table: string): Promise<{ readonly table: number; readonly indexes: number }>;
  rowsOf(table: string): Promise<number>;
}

export async function openMeter({ pid, database }: Service): Promise<Meter> {
  return database.startsWith('postgres') ? await onPostgres(pid, database) : onSqlite(pid, database);
}

/** Of a table that has no partitions it is the table itself. */
const PARTS = 'select relid from pg_partition_tree($1::regclass) union select $1::regclass';

async function onPostgres(pid: number, database: string): Promise<Meter> {
  const postmaster = await postmasterOf(database);
  const client = new pg.Client(database);
  await client.connect();
  const first = async (text: string, values: string[] = []) =>
    (await client.query<Record<string, string>>(text, values)).rows[0] ?? {};
  return {
    async read() {
      const { wal } = await first("select pg_current_wal_insert_lsn() - '0/0' as wal");
      return {
        ...serviceTime(pid),
        postgresMs: postgresTimeMs(postmaster),
        walBytes: Number(wal),
        writtenBytes: writtenBytes(pid),
      };
    },
    async bytesOf(name) {
      const { table, indexes } = await first(
        `select sum(pg_table_size(relid)) as table, sum(pg_indexes_size(relid)) as indexes from (${PARTS}) parts`,
        [name],
      );
      return { table: Number(table), indexes: Number(indexes) };
    },
    rowsOf: async (table) => Number((await first(`select count(*) as n from ${table}`)).n),
    [Symbol.asyncDispose]: () => client.end(),
  };
}

const PAGES = `select sum(pgsize) as bytes, sqlite_master.type from dbstat join sqlite_master using (name)
  where tbl_name = ? group by sqlite_master.type`;

function onSqlite(pid: number, path: string): Meter {
  const db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  return {
    read: async () => ({
      ...serviceTime(pid),
      postgresMs: 0,
      walBytes: 0,
      writtenBytes: writtenBytes(pid),
    }),
    async bytesOf(name) {
      const kinds = new Map(
        db
          .prepare(PAGES)
          .all(name)
          .map(({ type, bytes }) => [type, Number(bytes)]),
      );
      return { table: kinds.get('table') ?? 0, indexes: kinds.get('index') ?? 0 };
    },
    rowsOf: async (table) => Number(db.prepare(`select count(*) as n from ${table}`).get()?.n),
    [Symbol.asyncDispose]: async () => db.close(),
  };
}

/** See proc_pid_io(5). */
function writtenBytes(pid: number): number {
  return Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]);
}

export function difference(after: Footprint, before: Footprint): Footprint {
  return {
    mainThreadMs: after.mainThreadMs - before.mainThreadMs,
    otherThreadsMs: after.otherThreadsMs - before.otherThreadsMs,
    postgresMs: after.postgresMs - before.postgresMs,
    walBytes: after.walBytes - before.walBytes,
    writtenBytes: after.writtenBytes - before.writtenBytes,
  };
}
