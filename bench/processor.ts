/** Processor time of processes and threads, from `/proc`: in ticks of 10 ms, so it says something of seconds only. */
import { readdirSync, readFileSync } from 'node:fs';
import pg from 'pg';

const TICK_MS = 10;

/** What a service has used since it started. */
interface ServiceTime {
  readonly mainThreadMs: number;
  /** SQLite's thread, the threads of the file system, the collector of garbage and the compiler. */
  readonly otherThreadsMs: number;
}

export function serviceTime(pid: number): ServiceTime {
  const mainThreadMs = busyMs(`/proc/${pid}/task/${pid}`);
  return { mainThreadMs, otherThreadsMs: busyMs(`/proc/${pid}`) - mainThreadMs };
}

/** The process that all others of a PostgreSQL server come from. */
export async function postmasterOf(databaseUrl: string): Promise<number> {
  const client = new pg.Client(databaseUrl);
  await client.connect();
  try {
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return statOf(`/proc/${rows[0]?.pid}`).parent;
  } finally {
    await client.end();
  }
}

/** What all processes of a PostgreSQL server have used, those that have ended too. */
export function postgresTimeMs(postmaster: number): number {
  const { ownMs, endedChildrenMs } = statOf(`/proc/${postmaster}`);
  const children = readdirSync('/proc').filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster);
  return children.reduce((sum, pid) => sum + (tryStat(pid)?.ownMs ?? 0), ownMs + endedChildrenMs);
}

function busyMs(path: string): number {
  return statOf(path).ownMs;
}

function parentOf(pid: string): number | null {
  return tryStat(pid)?.parent ?? null;
}

/** Null where the process has just ended. */
function tryStat(pid: string): Stat | null {
  try {
    return statOf(`/proc/${pid}`);
  } catch {
    return null;
  }
}

interface Stat {
  readonly parent: number;
  readonly ownMs: number;
  readonly endedChildrenMs: number;
}

/** See proc_pid_stat(5). The name, second, may hold anything, brackets and spaces too. */
function statOf(path: string): Stat {
  const text = readFileSync(`${path}/stat`, 'latin1');
  const [, parent, ...rest] = text.slice(text.lastIndexOf(')') + 2).split(' ');
  const [user, system, childrensUser, childrensSystem] = rest
    .slice(9, 13)
    .map((ticks) => Number(ticks) * TICK_MS);
  return {
    parent: Number(parent),
    ownMs: (user ?? 0) + (system ?? 0),
    endedChildrenMs: (childrensUser ?? 0) + (childrensSystem ?? 0),
  };
}
