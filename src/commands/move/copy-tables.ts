import { setTimeout as sleep } from 'node:timers/promises';
import { isShared } from '../../db/index.ts';
import { insertMany } from '../../db/many-rows.ts';
import type { Store } from '../../db/store.ts';
import { StartError } from '../../errors.ts';
import { MINUTE_MS, monotonicMs, type Period, SECOND_MS, startOf } from '../../lib/clock.ts';
import { uuidTimeMs } from '../../lib/ids.ts';
import { type PartitionedTable, PERIOD_OF } from '../../schema/partitioned-tables.ts';
import type { TableToMove } from './list-tables.ts';
import { type Row, readRows, readRowsById } from './read-rows.ts';

/** Reports progress: `rows` of the table are done. */
export type OnRows = (table: TableToMove, rows: number) => void;

/** Copies all rows of the tables into an empty target. */
export async function copyTables(
  source: Store,
  target: Store,
  { tables, onRows }: { tables: readonly TableToMove[]; onRows: OnRows },
): Promise<void> {
  await source.withoutTimeout(async (db) => {
    for (const table of tables) {
      const isById = table.isByArrival && isShared(source.db);
      const pages = isById ? readRowsById(db, table) : readRows(source.db, table);
      await copyTable(pages, target, { table, onRows });
    }
  });
}

async function copyTable(
  pages: AsyncIterable<readonly Row[]>,
  target: Store,
  { table, onRows }: { table: TableToMove; onRows: OnRows },
): Promise<void> {
  const createPartitionsFor = partitionCreator(target, table);
  let done = 0;
  for await (const rows of pages) {
    await createPartitionsFor(rows);
    // The table is known only at run time, so the row type is not.
    await insertMany(target.db, table.name, rows as never);
    done += rows.length;
    onRows(table, done);
  }
}

/** Creates each partition before its first row is inserted. */
function partitionCreator(target: Store, { name }: TableToMove): (rows: readonly Row[]) => Promise<void> {
  const period = Object.hasOwn(PERIOD_OF, name) ? PERIOD_OF[name as PartitionedTable] : null;
  if (period === null) return async () => undefined;
  const created = new Set<number>();
  return async (rows) => {
    for (const startMs of periodsOf(rows, period).difference(created)) {
      await createPartitions(target, startMs);
      created.add(startMs);
    }
  };
}

const MAX_LOCK_WAIT_MS = MINUTE_MS;
const RETRY_MS = SECOND_MS;

/** Rows in the default partition would block the creation of their own partition, so the copy waits for it. */
async function createPartitions(target: Store, startMs: number): Promise<void> {
  const deadlineMs = monotonicMs() + MAX_LOCK_WAIT_MS;
  for (;;) {
    const missing = await target.makePartitions(startMs);
    if (missing.length === 0) return;
    if (monotonicMs() > deadlineMs)
      throw new StartError(
        `Failed to create partitions in the database of DATABASE_URL (${missing.join(', ')}): another session locks its tables. End that session (pg_locks), and run “throughline db move” again, which starts over.`,
      );
    await sleep(RETRY_MS);
  }
}

function periodsOf(rows: readonly Row[], period: Period): Set<number> {
  const times = rows.map(({ id }) => uuidTimeMs(String(id))).filter((time) => time !== null);
  return new Set(times.map((ms) => startOf(period, ms)));
}
