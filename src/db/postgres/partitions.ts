/** Partitions by the time in rows' ids: rows of a day or a month are dropped together. */
import { sql } from 'kysely';
import { isoTime, type Period, startOf } from '../../lib/clock.ts';
import { leastIdAt } from '../../lib/ids.ts';
import type { Log } from '../../lib/log.ts';
import { type PartitionedTable, PERIOD_OF } from '../../schema/partitioned-tables.ts';
import { isNodeAway, isUnavailable } from '../faults.ts';
import type { Db, Store } from '../store.ts';
import type { RunWithDb } from './connections.ts';

/** Including the current period. Enough to bridge a long lock on the table. */
const PERIODS_AHEAD = { day: 7, month: 2 } as const satisfies Record<Period, number>;

/**
 * Creating and dropping a partition locks the table for a moment, and other statements queue behind the waiting lock. So
 * the lock is not requested while a long transaction, such as a dump, holds the table, and not awaited for longer.
 */
const LOCK_TIMEOUT_MS = 300;
/** Bounds the scan of the default partition under that lock. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * PostgreSQL's `lock_not_available`, `query_canceled`, and `check_violation`: the default partition holds rows of the
 * period.
 */
const RETRYABLE = new Set(['55P03', '57014', '23514']);

/** The partition methods of a `Store`. */
export function partitions(
  runWithDb: RunWithDb,
  log: Log,
): Pick<Store, 'makePartitions' | 'dropPartitions' | 'defaultPartition'> {
  return {
    makePartitions: (atMs) => makePartitions(runWithDb, atMs),
    dropPartitions: (table, beforeMs) => dropPartitions(runWithDb, log, { table, beforeMs }),
    defaultPartition: <T extends PartitionedTable>(table: T) => defaultPartitionOf(table) as T,
  };
}

async function makePartitions(runWithDb: RunWithDb, atMs: number): Promise<string[]> {
  return await runWithDb(async (db) => {
    const missing: string[] = [];
    for (const table of Object.keys(PERIOD_OF) as PartitionedTable[])
      missing.push(...(await makePartitionsOf(db, table, atMs)));
    return missing;
  });
}

/** @returns the names of partitions that cannot be created now, for this period and the next. */
async function makePartitionsOf(db: Db, table: PartitionedTable, atMs: number): Promise<string[]> {
  const missing: string[] = [];
  const period = PERIOD_OF[table];
  const existing = new Set(await listPartitions(db, table));
  for (let later = 0; later < PERIODS_AHEAD[period]; later++) {
    const [fromMs, toMs] = [startOf(period, atMs, later), startOf(period, atMs, later + 1)];
    const name = nameOf(table, fromMs);
    if (existing.has(name)) continue;
    const make = `create table if not exists ${name} partition of ${table}
      for values from ('${leastIdAt(fromMs)}') to ('${leastIdAt(toMs)}')`;
    const isCreated = await tryWithLocks(db, [table, defaultPartitionOf(table)], async (tx) => {
      // Serializes processes that start together.
      await sql`select pg_advisory_xact_lock(hashtext(${`partitions of ${table}`}))`.execute(tx);
      await sql.raw(make).execute(tx);
    });
    if (!isCreated && later <= 1) missing.push(name);
  }
  return missing;
}

async function dropPartitions(
  runWithDb: RunWithDb,
  log: Log,
  { table, beforeMs }: { table: PartitionedTable; beforeMs: number },
): Promise<boolean> {
  const first = nameOf(table, beforeMs);
  return await runWithDb(async (db) => {
    let areDropped = true;
    for (const name of await listPartitions(db, table)) {
      if (name >= first) break;
      const isDropped = await tryWithLocks(db, [table, defaultPartitionOf(table), name], (tx) =>
        sql`drop table if exists ${sql.table(name)}`.execute(tx),
      ).catch((error: unknown) => {
        if (isUnavailable(error) && !isNodeAway(error)) throw error;
        log.error({ err: error, partition: name }, 'Failed to drop an old partition; will retry');
        return false;
      });
      if (isDropped)
        log.info({ table, partition: name, before: isoTime(beforeMs) }, 'Dropped an old partition');
      areDropped &&= isDropped;
    }
    return areDropped;
  });
}

/** Its name, such as `events_other_months`. */
function defaultPartitionOf(table: PartitionedTable): string {
  return `${table}_other_${PERIOD_OF[table]}s`;
}

/** Names of a table's attached partitions, oldest first, without the default partition. */
async function listPartitions(db: Db, table: PartitionedTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relname ~ ${`^${table}_[0-9]+$`}
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

const DATE_LENGTH = { day: 'YYYY-MM-DD'.length, month: 'YYYY-MM'.length } as const;

/** The table and the period, such as `_20261121` or `_202611`: names sort by time. */
function nameOf(table: PartitionedTable, ms: number): string {
  return `${table}_${isoTime(ms).slice(0, DATE_LENGTH[PERIOD_OF[table]]).replaceAll('-', '')}`;
}

/**
 * @param tables that the work locks.
 * @returns false if the work has to be retried later.
 */
async function tryWithLocks(
  db: Db,
  tables: readonly string[],
  work: (tx: Db) => Promise<unknown>,
): Promise<boolean> {
  if (await areLocked(db, tables)) return false;
  try {
    await db.transaction().execute(async (tx) => {
      // Applies the limits to the nodes of a Citus cluster; ignored elsewhere.
      await sql`set local citus.propagate_set_commands = 'local'`.execute(tx);
      await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`).execute(tx);
      await sql.raw(`set local statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'`).execute(tx);
      await work(tx);
    });
    return true;
  } catch (error) {
    if (!RETRYABLE.has((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}

/** True if a transaction that is not short, or of unknown age, holds a lock. */
async function areLocked(db: Db, tables: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks as held left join pg_stat_activity as holder on holder.pid = held.pid
    where held.locktype = 'relation' and held.granted
      and held.database = (select oid from pg_database where datname = current_database())
      and held.relation in (select to_regclass(name) from unnest(${tables}::text[]) as name)
      and coalesce(holder.xact_start < clock_timestamp() - ${`${LOCK_TIMEOUT_MS} ms`}::interval, true)
    limit 1`.execute(db);
  return rows.length > 0;
}
