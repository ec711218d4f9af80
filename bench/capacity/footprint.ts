/** Resources that a service and its database use: processor time, WAL, bytes written and on disk. */
import { readFileSync } from 'node:fs';
import { type CpuReading, type CpuTime, cpuTimePerItem } from '../lib/cpu-time.ts';
import { readNumber } from '../lib/database.ts';
import type { Service } from '../lib/service.ts';

/** Totals since the start. */
interface Reading {
  readonly cpu: CpuReading | null;
  readonly walBytes: number;
  readonly writtenBytes: number;
}

/** Per operation. */
export interface Footprint {
  readonly cpu: CpuTime | null;
  /** Of PostgreSQL; 0 on SQLite. */
  readonly walBytes: number;
  /** By the service process: its journal, and with SQLite the database and its WAL. */
  readonly writtenBytes: number;
}

/** @param count operations of `work`. */
export async function measureFootprint<T>(
  service: Service,
  count: number,
  work: () => Promise<T>,
): Promise<{ result: T; footprint: Footprint }> {
  const before = await read(service);
  const result = await work();
  const after = await read(service);
  const footprint = {
    cpu: cpuTimePerItem(before.cpu, after.cpu, count),
    walBytes: (after.walBytes - before.walBytes) / count,
    writtenBytes: (after.writtenBytes - before.writtenBytes) / count,
  };
  return { result, footprint };
}

async function read({ pid, reader, cpuTime }: Service): Promise<Reading> {
  const walQuery = "select pg_current_wal_insert_lsn() - '0/0' as n";
  return {
    cpu: await cpuTime(),
    walBytes: reader.isPostgres ? await readNumber(reader, walQuery) : 0,
    // See proc_pid_io(5).
    writtenBytes: Number(/^write_bytes: (\d+)/m.exec(readFileSync(`/proc/${pid}/io`, 'utf8'))?.[1]),
  };
}

export interface TableBytes {
  readonly table: number;
  readonly indexes: number;
}

/** Including partitions. On SQLite `table` includes the primary key. */
export async function readTableBytes({ reader }: Service, name: string): Promise<TableBytes> {
  const [row] = await reader.rows(reader.isPostgres ? POSTGRES_BYTES : SQLITE_BYTES, [name]);
  return { table: Number(row?.table_bytes), indexes: Number(row?.index_bytes) };
}

/** `pg_partition_tree` is empty for a table without partitions. */
const POSTGRES_BYTES = `
  select sum(pg_table_size(relid)) as table_bytes, sum(pg_indexes_size(relid)) as index_bytes from (
    select relid from pg_partition_tree($1::regclass) union select $1::regclass) as parts`;

const SQLITE_BYTES = `
  select sum(pgsize) filter (where sqlite_master.type = 'table') as table_bytes,
    sum(pgsize) filter (where sqlite_master.type = 'index') as index_bytes
  from dbstat join sqlite_master using (name) where tbl_name = $1`;
