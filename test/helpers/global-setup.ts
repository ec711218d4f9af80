/**
 * Starts one PostgreSQL for the whole test run. `TEST_DATABASE_URL` names another server instead; `TEST_CITUS_URL`
 * names the coordinator of a Citus cluster for distributed databases.
 */
import { fileURLToPath } from 'node:url';
import { type ClusterDatabase, citusUrl, makeCitusTemplate } from './citus.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { makeTemplates } from './templates.ts';

let server: PostgresServer | undefined;
let template: ClusterDatabase | undefined;
let templates: { remove(): void } | undefined;

/** Hundreds of processes share one compile cache: a start takes one second instead of nearly two. */
const COMPILE_CACHE = fileURLToPath(new URL('../../node_modules/.cache/compiled', import.meta.url));

export async function globalSetup(): Promise<void> {
  process.env.NODE_COMPILE_CACHE ??= COMPILE_CACHE;
  if (citusUrl !== undefined) {
    const made = await makeCitusTemplate(citusUrl);
    template = made;
    process.env.TEST_DATABASE_URL = citusUrl;
    process.env.TEST_CITUS_TEMPLATE = made.name;
  }
  if (process.env.TEST_DATABASE_URL !== undefined) return;
  server = await startPostgresServer({ fsync: false });
  process.env.TEST_DATABASE_URL = server.url;
  templates = await makeTemplates(server.url);
}

export async function globalTeardown(): Promise<void> {
  await template?.remove();
  templates?.remove();
  await server?.stop();
}
