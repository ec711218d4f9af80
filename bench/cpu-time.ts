/** Processor time by Linux's `/proc`, in microseconds: what a click costs, whatever else the machine does. */
import { existsSync, readdirSync, readFileSync } from 'node:fs';

export interface CpuTime {
  /** The event loop. */
  readonly main: number;
  /** The threads that write and read the journal's files. */
  readonly journal: number;
  /** SQLite's thread, or PostgreSQL's processes that serve us. */
  readonly database: number;
  /** Garbage collection and compilation beside the event loop. */
  readonly engine: number;
}

const THREADS: Readonly<Record<string, keyof CpuTime>> = {
  'libuv-worker': 'journal',
  WorkerThread: 'database',
  V8Worker: 'engine',
};

/** What threads and processes have taken so far, by where they stand in `/proc`. */
export type CpuReading = ReadonlyMap<string, { readonly part: keyof CpuTime; readonly us: number }>;

/**
 * Null where there is no `/proc`.
 * @param servers processes of PostgreSQL that serve it.
 */
export function readCpuTime(pid: number, servers: readonly number[]): CpuReading | null {
  if (!existsSync('/proc/self/schedstat')) return null;
  const reading = new Map<string, { part: keyof CpuTime; us: number }>();
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const path = `/proc/${pid}/task/${thread}`;
    const part = thread === String(pid) ? 'main' : THREADS[readFileSync(`${path}/comm`, 'utf8').trim()];
    if (part !== undefined) reading.set(path, { part, us: microseconds(path) });
  }
  for (const server of servers) {
    const path = `/proc/${server}`;
    reading.set(path, { part: 'database', us: microseconds(path) });
  }
  return reading;
}

/** What each of so many took between two readings. */
export function cpuTimeOfEach(
  before: CpuReading | null,
  after: CpuReading | null,
  count: number,
): CpuTime | null {
  if (before === null || after === null) return null;
  const each = { main: 0, journal: 0, database: 0, engine: 0 };
  for (const [path, { part, us }] of after) each[part] += (us - (before.get(path)?.us ?? 0)) / count;
  return each;
}

export function costOf({ main, journal, database, engine }: CpuTime): string {
  const us = (value: number) => `${value.toFixed(1)} µs`;
  return `event loop ${us(main)}, journal ${us(journal)}, database ${us(database)}, engine ${us(engine)}`;
}

function microseconds(of: string): number {
  return Number(readFileSync(`${of}/schedstat`, 'utf8').split(' ', 1)[0]) / 1_000;
}
