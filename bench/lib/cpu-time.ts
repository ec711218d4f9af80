/** Processor time from Linux's `/proc`, in microseconds; unlike elapsed time it does not depend on other load. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface CpuTime {
  /** The main thread. */
  readonly main: number;
  /** libuv threads, which write and read the journal. */
  readonly journal: number;
  /** SQLite's thread, or all processes of PostgreSQL. */
  readonly database: number;
  /** V8's threads for garbage collection and compilation. */
  readonly engine: number;
}

const THREADS: Readonly<Record<string, keyof CpuTime>> = {
  'libuv-worker': 'journal',
  WorkerThread: 'database',
  V8Worker: 'engine',
};

/** Totals of threads and processes, by their path in `/proc`. */
export type CpuReading = ReadonlyMap<string, { readonly part: keyof CpuTime; readonly us: number }>;

/**
 * @param servers process ids of PostgreSQL.
 * @returns null without `/proc`.
 */
export function readCpuTime(pid: number, servers: readonly number[]): CpuReading | null {
  if (!existsSync('/proc/self/schedstat')) return null;
  const reading = new Map<string, { part: keyof CpuTime; us: number }>();
  const add = (path: string, part: keyof CpuTime) => {
    const us = microseconds(path);
    if (us !== null) reading.set(path, { part, us });
  };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${thread}`;
    const part = thread === String(pid) ? 'main' : THREADS[readFileSync(`${path}/comm`, 'utf8').trim()];
    if (part !== undefined) add(path, part);
  }
  for (const server of servers) add(`/proc/${server}`, 'database');
  return reading;
}

/** The difference of two readings, divided by `count`. */
export function cpuTimePerItem(
  before: CpuReading | null,
  after: CpuReading | null,
  count: number,
): CpuTime | null {
  if (before === null || after === null) return null;
  const perItem = { main: 0, journal: 0, database: 0, engine: 0 };
  for (const [path, { part, us }] of after) perItem[part] += (us - (before.get(path)?.us ?? 0)) / count;
  return perItem;
}

export function formatCpuTime({ main, journal, database, engine }: CpuTime): string {
  const us = (value: number) => `${value.toFixed(1)} µs`;
  return `event loop ${us(main)}, journal ${us(journal)}, database ${us(database)}, engine ${us(engine)}`;
}

/** Null if the process has ended. */
function microseconds(path: string): number | null {
  try {
    return Number(readFileSync(`${path}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000;
  } catch {
    return null;
  }
}
