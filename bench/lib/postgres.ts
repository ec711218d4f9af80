/** A PostgreSQL server for the bench, with default settings: commits wait for the disk. */
import pg from 'pg';
import { startPostgresServer } from '../../test/helpers/postgres-server.ts';

export interface Postgres extends AsyncDisposable {
  readonly version: string;
  /** Creates an empty database and returns its URL. */
  createDatabase(name: string): Promise<string>;
}

export async function startPostgres(): Promise<Postgres> {
  const server = await startPostgresServer();
  return {
    version: await checkedVersion(server.url),
    async createDatabase(name) {
      const client = new pg.Client(server.url);
      await client.connect();
      await client.query(`create database ${name}`).finally(() => client.end());
      return new URL(`/${name}`, server.url).href;
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

/** @throws if commits do not wait for the disk. */
async function checkedVersion(url: string): Promise<string> {
  const client = new pg.Client(url);
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
