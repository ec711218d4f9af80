/** Tables in partitions by the time that stands in their rows' ids: a day, or a month, is dropped at once, without a trace. */
import { sql } from 'kysely';
import { isoTime, type Period, startOf } from '../../clock.ts';
import { leastIdAt } from '../../ids.ts';
import type { Log } from '../../log.ts';
import { isUnavailable } from '../faults.ts';
import { type PartitionedTable, PERIOD_OF } from '../partitioned-tables.ts';
import type { Db, Store } from '../store.ts';
import type { Patiently } from './connections.ts';

/** With the one that now is in. So many that a table which somebody holds for a while is made ready in time all the same. */
const MADE_AHEAD = { day: 7, month: 2 } as const satisfies Record<Period, number>;

/**
 * Making and dropping a partition takes the table's lock for a moment, and whoever comes meanwhile waits behind us. It is
 * not asked for where somebody holds it that will not let go at once, such as a dump; nor waited for longer than this.
 */
const LOCK_TIMEOUT_MS = 300;
/** A new partition has the rest looked through, under that lock: where it holds much, the table is not held up for long. */
const STATEMENT_TIMEOUT_MS = 5_000;
/**
 * PostgreSQL's `lock_not_available`, `query_canceled`, and `check_violation`: rows of that time are there already, without
 * a partition.
 */
const LATER = new Set(['55P03', '57014', '23514']);

/** What a store does with them. */
export function partitions(
  patiently: Patiently,
  log: Log,
): Pick<Store, 'makePartitions' | 'dropPartitions' | 'withoutPartition'> {
  return {
    makePartitions: (atMs) => makePartitions(patiently, atMs),
    dropPartitions: (table, beforeMs) => dropPartitions(patiently, log, { table, beforeMs }),
    withoutPartition: <T extends PartitionedTable>(table: T) => restOf(table) as T,
  };
}

async function makePartitions(patiently: Patiently, atMs: number): Promise<string[]> {
  return await patiently(async (db) => {
    const missing: string[] = [];
    for (const table of Object.keys(PERIOD_OF) as PartitionedTable[])
      missing.push(...(await makePartitionsOf(db, table, atMs)));
    return missing;
  });
}

/** Gives the names of those that cannot be made now, of this period and the next. */
async function makePartitionsOf(db: Db, table: PartitionedTable, atMs: number): Promise<string[]> {
  const missing: string[] = [];
  const period = PERIOD_OF[table];
  const there = new Set(await listPartitions(db, table));
  for (let later = 0; later < MADE_AHEAD[period]; later++) {
    const [fromMs, toMs] = [startOf(period, atMs, later), startOf(period, atMs, later + 1)];
    const name = nameOf(table, fromMs);
    if (there.has(name)) continue;
    const make = `create table if not exists ${name} partition of ${table}
      for values from ('${leastIdAt(fromMs)}') to ('${leastIdAt(toMs)}')`;
    const isMade = await atOnceOrLater(db, [table, restOf(table)], async (tx) => {
      // Processes that start together make them one after the other.
      await sql`select pg_advisory_xact_lock(hashtext(${`partitions of ${table}`}))`.execute(tx);
      await sql.raw(make).execute(tx);
    });
    if (!isMade && later <= 1) missing.push(name);
  }
  return missing;
}

async function dropPartitions(
  patiently: Patiently,
  log: Log,
  { table, beforeMs }: { table: PartitionedTable; beforeMs: number },
): Promise<boolean> {
  const first = nameOf(table, beforeMs);
  return await patiently(async (db) => {
    let areGone = true;
    for (const name of await listPartitions(db, table)) {
      if (name >= first) break;
      const isGone = await atOnceOrLater(db, [table, restOf(table), name], (tx) =>
        sql`drop table if exists ${sql.table(name)}`.execute(tx),
      ).catch((error: unknown) => {
        if (isUnavailable(error)) throw error;
        log.error({ err: error, partition: name }, 'a partition that is too old cannot be dropped');
        return false;
      });
      if (isGone) log.info({ table, partition: name, before: isoTime(beforeMs) }, 'Dropped an old partition');
      areGone &&= isGone;
    }
    return areGone;
  });
}

/** Such as `clicks_other_days`: rows that no partition of their own takes. */
function restOf(table: PartitionedTable): string {
  return `${table}_other_${PERIOD_OF[table]}s`;
}

/** A table's partitions by their names, the oldest first; not what somebody detached, or named alike, to keep it. */
async function listPartitions(db: Db, table: PartitionedTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid
    where inhparent = to_regclass(${table}) and relname ~ ${`^${table}_[0-9]+$`}
    order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

const DATE_CHARACTERS = { day: 'YYYY-MM-DD'.length, month: 'YYYY-MM'.length } as const;

/** Such as `clicks_20261121` and `events_202611`: names sort as their days and months do. */
function nameOf(table: PartitionedTable, ms: number): string {
  return `${table}_${isoTime(ms).slice(0, DATE_CHARACTERS[PERIOD_OF[table]]).replaceAll('-', '')}`;
}

/**
 * @param tables whose locks the work takes.
 * @returns false where it has to be tried again later.
 */
async function atOnceOrLater(
  db: Db,
  tables: readonly string[],
  work: (tx: Db) => Promise<unknown>,
): Promise<boolean> {
  if (await areHeld(db, tables)) return false;
  try {
    await db.transaction().execute(async (tx) => {
      // Where Citus is, its nodes wait no longer either; elsewhere the name means nothing.
      await sql`set local citus.propagate_set_commands = 'local'`.execute(tx);
      await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`).execute(tx);
      await sql.raw(`set local statement_timeout = '${STATEMENT_TIMEOUT_MS}ms'`).execute(tx);
      await work(tx);
    });
    return true;
  } catch (error) {
    if (!LATER.has((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}

/** By a transaction that is not a short one, or of which the database does not tell us how long it has lasted. */
async function areHeld(db: Db, tables: readonly string[]): Promise<boolean> {
  const { rows } = await sql`
    select from pg_locks as held left join pg_stat_activity as holder on holder.pid = held.pid
    where held.locktype = 'relation' and held.granted
      and held.database = (select oid from pg_database where datname = current_database())
      and held.relation in (select to_regclass(name) from unnest(${tables}::text[]) as name)
      and coalesce(holder.xact_start < clock_timestamp() - ${`${LOCK_TIMEOUT_MS} ms`}::interval, true)
    limit 1`.execute(db);
  return rows.length > 0;
}
