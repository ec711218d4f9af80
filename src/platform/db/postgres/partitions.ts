/** Tables in daily partitions, by the time that stands in their rows' ids: a day is dropped at once, without a trace. */
import { sql } from 'kysely';
import { DAY_MS, isoTime, startOfDay } from '../../clock.ts';
import { leastIdAt } from '../../ids.ts';
import type { Db, PartitionedTable } from '../store.ts';
import type { Patiently } from './connections.ts';

/**
 * Making and dropping a partition takes the table's lock for a moment. Whoever holds it longer, such as a dump, is not
 * waited for, since everybody else would wait behind us: it is tried again an hour later, and days are made ahead.
 */
const LOCK_TIMEOUT_MS = 300;
/** PostgreSQL's `lock_not_available`, and `check_violation`: rows of that day are there already, without a partition. */
const LATER = new Set(['55P03', '23514']);

/** See `Store.makePartitions`. */
export async function makePartitions(
  patiently: Patiently,
  table: PartitionedTable,
  { fromMs, days }: { fromMs: number; days: number },
): Promise<void> {
  const firstMs = startOfDay(fromMs);
  await patiently(async (db) => {
    const there = new Set(await listDays(db, table));
    for (let dayMs = firstMs; dayMs < firstMs + days * DAY_MS; dayMs += DAY_MS) {
      const name = nameOf(table, dayMs);
      if (there.has(name)) continue;
      const [from, to] = [leastIdAt(dayMs), leastIdAt(dayMs + DAY_MS)];
      const make = `create table if not exists ${name} partition of ${table} for values from ('${from}') to ('${to}')`;
      await atOnceOrLater(db, async (tx) => {
        // Processes that start together make them one after the other.
        await sql`select pg_advisory_xact_lock(hashtext(${`partitions of ${table}`}))`.execute(tx);
        await sql.raw(make).execute(tx);
      });
    }
  });
}

/** See `Store.dropPartitions`. */
export async function dropPartitions(
  patiently: Patiently,
  table: PartitionedTable,
  beforeMs: number,
): Promise<void> {
  const first = nameOf(table, startOfDay(beforeMs));
  await patiently(async (db) => {
    for (const name of await listDays(db, table)) {
      if (name >= first) break;
      await atOnceOrLater(db, (tx) => sql`drop table if exists ${sql.table(name)}`.execute(tx));
    }
  });
}

/** The days of a table by the names of their partitions, the oldest first. */
async function listDays(db: Db, table: PartitionedTable): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`
    select relname as name from pg_class
    where relkind = 'r' and relnamespace = current_schema()::regnamespace
      and relname ~ ${`^${table}_[0-9]{8}$`} order by relname`.execute(db);
  return rows.map(({ name }) => name);
}

/** Such as `clicks_20261121`: names sort as their days do. */
function nameOf(table: PartitionedTable, dayMs: number): string {
  return `${table}_${isoTime(dayMs).slice(0, 'YYYY-MM-DD'.length).replaceAll('-', '')}`;
}

/** False where it has to be tried again later. */
async function atOnceOrLater(db: Db, work: (tx: Db) => Promise<unknown>): Promise<boolean> {
  try {
    await db.transaction().execute(async (tx) => {
      // Where Citus is, its nodes wait no longer either; elsewhere the name means nothing.
      await sql`set local citus.propagate_set_commands = 'local'`.execute(tx);
      await sql.raw(`set local lock_timeout = '${LOCK_TIMEOUT_MS}ms'`).execute(tx);
      await work(tx);
    });
    return true;
  } catch (error) {
    if (!LATER.has((error as { code?: string }).code ?? '')) throw error;
    return false;
  }
}
