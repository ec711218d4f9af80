/**
 * Starts one PostgreSQL for the whole test run. `TEST_DATABASE_URL` names another server instead; `TEST_CITUS_URL`
 * names the coordinator of a Citus cluster for distributed databases.
 */
import { type ClusterDatabase, citusUrl, makeCitusTemplate } from './citus.ts';
import { useCompileCache } from './compile-cache.ts';
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';
import { makeTemplates } from './templates.ts';

let server: PostgresServer | undefined;
let template: ClusterDatabase | undefined;
let templates: { remove(): void } | undefined;

export async function globalSetup(): Promise<void> {
  useCompileCache();
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
