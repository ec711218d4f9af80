/** Every test that stores something runs on each engine: `for (const engine of engines)`. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { copyCitusTemplate, makeCitusDatabase } from './citus.ts';
import { copySqliteTemplate, runStatement, withDatabase } from './templates.ts';

export type Engine = 'sqlite' | 'postgres';

/** `ENGINE=sqlite` runs the tests on one engine only. */
export const engines: readonly Engine[] =
  process.env.ENGINE === 'sqlite'
    ? ['sqlite']
    : process.env.ENGINE === 'postgres'
      ? ['postgres']
      : ['sqlite', 'postgres'];

/**
 * For tests of the API that prove nothing twice: what is refused and how, texts, bounds, headers, pages and pure rules
 * are decided outside the database. They run on the first engine alone, and on the other one with `ENGINE=postgres`.
 */
export const neutralEngines: readonly Engine[] = engines.slice(0, 1);

/**
 * The storage of one server: a data directory and, on PostgreSQL, a database, both migrated; on a Citus cluster also
 * distributed.
 */
export interface Place {
  readonly env: Record<string, string>;
  readonly dataDir: string;
  readonly databaseUrl: string | null;
  remove(): Promise<void>;
}

interface PlaceOptions {
  /** URL of PostgreSQL as superuser; by default the server of the test run or the Citus cluster. */
  readonly server?: string;
  /** A database without tables. */
  readonly isEmpty?: boolean;
}

export async function makePlace(engine: Engine, options: PlaceOptions = {}): Promise<Place> {
  const dataDir = mkdtempSync(join(tmpdir(), 'throughline-test-'));
  const env = { DATA_DIR: dataDir, HOST: '127.0.0.1', LOG_LEVEL: 'silent' };
  const removeDirectory = () => rmSync(dataDir, { recursive: true, force: true });
  if (engine === 'sqlite') {
    if (options.isEmpty !== true) copySqliteTemplate(dataDir);
    return { env, dataDir, databaseUrl: null, remove: async () => removeDirectory() };
  }

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
  const { TEST_DATABASE_TEMPLATE: migrated } = process.env;
  const isCopy = !isEmpty && given === undefined && migrated !== undefined;
  // Copies files in place of writing 5 MB of log.
  const from = isCopy ? ` template ${migrated} strategy file_copy` : '';
  await runStatement(server, `create database ${name}${from}`);
  return {
    url: withDatabase(server, name),
    remove: () => runStatement(server, `drop database if exists ${name} with (force)`),
  };
}
