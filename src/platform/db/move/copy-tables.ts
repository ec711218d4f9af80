import { setTimeout as sleep } from 'node:timers/promises';
import { MINUTE_MS, monotonicMs, type Period, SECOND_MS, startOf } from '../../clock.ts';
import { StartError } from '../../errors.ts';
import { uuidTimeMs } from '../../ids.ts';
import { type PartitionedTable, PERIOD_OF } from '../partitioned-tables.ts';
import type { Store } from '../store.ts';
import type { TableToMove } from './list-tables.ts';
import { type Row, readRows } from './read-rows.ts';

/** Called with a table and how many of its rows are done. */
export type OnRows = (table: TableToMove, rows: number) => void;

/** Copies all rows of the tables into a target where there are none. */
export async function copyTables(
  source: Store,
  target: Store,
  { tables, onRows }: { tables: readonly TableToMove[]; onRows: OnRows },
): Promise<void> {
  for (const table of tables) await copyTable(source, target, { table, onRows });
}

async function copyTable(
  source: Store,
  target: Store,
  { table, onRows }: { table: TableToMove; onRows: OnRows },
): Promise<void> {
  const makeRoom = roomMaker(target, table);
  let done = 0;
  for await (const rows of readRows(source.db, table)) {
    await makeRoom(rows);
    // Which table's rows they are is not known before it runs.
    await target.insertMany(target.db, table.name, rows as never);
    done += rows.length;
    onRows(table, done);
  }
}

/** Makes the partitions of the days, or months, that rows are of, each before the first row of its time. */
function roomMaker(target: Store, { name }: TableToMove): (rows: readonly Row[]) => Promise<void> {
  const period = Object.hasOwn(PERIOD_OF, name) ? PERIOD_OF[name as PartitionedTable] : null;
  if (period === null) return async () => undefined;
  const made = new Set<number>();
  return async (rows) => {
    for (const startMs of periodsOf(rows, period).difference(made)) {
      await makePartitions(target, startMs);
      made.add(startMs);
    }
  };
}

const HELD_AT_MOST_MS = MINUTE_MS;
const LOOK_AGAIN_MS = SECOND_MS;

/** Nobody waits for the target's tables, and rows that went to the rest would keep their partition from ever being made. */
async function makePartitions(target: Store, startMs: number): Promise<void> {
  const deadlineMs = monotonicMs() + HELD_AT_MOST_MS;
  for (;;) {
    const missing = await target.makePartitions(startMs);
    if (missing.length === 0) return;
    if (monotonicMs() > deadlineMs)
      throw new StartError(
        `Partitions cannot be made in the database of DATABASE_URL (${missing.join(', ')}), since somebody holds its tables. End what does (pg_locks), and run “throughline db move” again, which starts over.`,
      );
    await sleep(LOOK_AGAIN_MS);
  }
}

function periodsOf(rows: readonly Row[], period: Period): Set<number> {
  const times = rows.map(({ id }) => uuidTimeMs(String(id))).filter((time) => time !== null);
  return new Set(times.map((ms) => startOf(period, ms)));
}
