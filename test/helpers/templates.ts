/** Migrated databases that tests copy: a copy takes a fraction of the time of the migrations. */
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { migrations } from '../../migrations/index.ts';
import { openStore } from '../../src/db/index.ts';
import { createLog } from '../../src/lib/log.ts';

const DATABASE = 'throughline_test_template';
const FILE = 'throughline.db';

/** Creates both templates and names them in the environment of the test processes. */
export async function makeTemplates(server: string): Promise<{ remove(): void }> {
  await runStatement(server, `create database ${DATABASE}`);
  await migrate({ databaseUrl: withDatabase(server, DATABASE), dataDir: '' });
  await runStatement(server, `alter database ${DATABASE} allow_connections false`);
  process.env.TEST_DATABASE_TEMPLATE = DATABASE;

  const directory = mkdtempSync(join(tmpdir(), 'throughline-template-'));
  await migrate({ databaseUrl: null, dataDir: directory });
  process.env.TEST_SQLITE_TEMPLATE = join(directory, FILE);
  return { remove: () => rmSync(directory, { recursive: true, force: true }) };
}

/** Does nothing if the run has no template: the service migrates an empty data directory at startup. */
export function copySqliteTemplate(dataDir: string): void {
  const { TEST_SQLITE_TEMPLATE: template } = process.env;
  if (template !== undefined) copyFileSync(template, join(dataDir, FILE));
}

export function withDatabase(server: string, name: string): string {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.href;
}

export async function runStatement(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(statement).finally(() => client.end());
}

async function migrate(config: { databaseUrl: string | null; dataDir: string }): Promise<void> {
  const store = await openStore(config, migrations, createLog('silent'), () => undefined);
  await store.migrate();
  await store.makePartitions(Date.now());
  await store.close();
}
