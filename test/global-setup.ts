/** Starts one real PostgreSQL for the whole test run. `TEST_DATABASE_URL` names another one to use instead. */
import { type PostgresServer, startPostgresServer } from './postgres-server.ts';

let server: PostgresServer | undefined;

export async function globalSetup(): Promise<void> {
  if (process.env.TEST_DATABASE_URL !== undefined) return;
  server = await startPostgresServer();
  process.env.TEST_DATABASE_URL = server.url;
}

export async function globalTeardown(): Promise<void> {
  await server?.stop();
}
