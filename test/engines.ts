/** Every test that stores something runs on each engine: `for (const engine of engines)`. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { copyCitusTemplate, makeCitusDatabase } from './citus.ts';

export type Engine = 'sqlite' | 'postgres';

/** `ENGINE=sqlite` runs the tests on one engine only. */
export const engines: readonly Engine[] =
  process.env.ENGINE === 'sqlite'
    ? ['sqlite']
    : process.env.ENGINE === 'postgres'
      ? ['postgres']
      : ['sqlite', 'postgres'];

/**
 * A place of its own for one server: a data directory and, on PostgreSQL, an empty database; on a Citus cluster one that
 * is migrated and distributed.
 */
export interface Place {
  readonly env: Record<string, string>;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  remove(): Promise<void>;
}

interface PlaceOptions {
  /** PostgreSQL's address, of a superuser; the run's own, or the cluster's, unless another is given. */
  readonly server?: string;
  /** Without tables, on a Citus cluster too. */
  readonly isEmpty?: boolean;
}

export async function makePlace(engine: Engine, options: PlaceOptions = {}): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-test-'));
  const env = { DATA_DIR: dataDir, HOST: '127.0.0.1', LOG_LEVEL: 'silent' };
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') return { env, dataDir, databaseUrl: null, remove: async () => removeDirectory() };

  const database = await makeDatabase(options);
  return {
    env: { ...env, DATABASE_URL: database.url, SECRET_KEY: 'a secret key for tests only' },
    dataDir,
    databaseUrl: database.url,
    async remove() {
      removeDirectory();
      await database.remove();
    },
  };
}

async function makeDatabase({
  server: given,
  isEmpty = false,
}: PlaceOptions): Promise<{ url: string; remove(): Promise<void> }> {
  const { TEST_DATABASE_URL: own, TEST_CITUS_TEMPLATE: template } = process.env;
  const server = given ?? own;
  if (server === undefined)
    throw new Error('TEST_DATABASE_URL is not set: run the tests with --test-global-setup');
  if (given === undefined && template !== undefined)
    return isEmpty ? await makeCitusDatabase(server) : await copyCitusTemplate(server, template);
  const name = `throughline_test_${randomBytes(6).toString('hex')}`;
  await administer(server, `create database ${name}`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, remove: () => administer(server, `drop database if exists ${name} with (force)`) };
}

async function administer(server: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: server });
  await client.connect();
  await client.query(statement);
  await client.end();
}
