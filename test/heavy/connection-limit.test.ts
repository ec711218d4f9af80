/** PostgreSQL's limit of connections, which other programs reach: calls wait, and readiness says why. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import pg from 'pg';
import { engines, makePlace } from '../helpers/engines.ts';
import { sendInstall } from '../helpers/load.ts';
import { startPostgresServer } from '../helpers/postgres-server.ts';
import { makePlayLink, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
/** Fewer than the pool of the service has. */
const MAX_CONNECTIONS = 8;
const ROUNDS = 6;
const INSTALLS_AT_ONCE = 30;

describe('a service at the limit of connections of PostgreSQL', {
  skip: !engines.includes('postgres'),
}, () => {
  it('records every install with the connections that it has, is ready, and says that it is short', {
    timeout: 180_000,
  }, async (t) => {
    const postgres = await startPostgresServer({ maxConnections: MAX_CONNECTIONS });
    const place = await makePlace('postgres', { server: postgres.url });
    const server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY, TRUST_PROXY: '1' });
    const others: pg.Client[] = [];
    t.after(async () => {
      await server.end('SIGKILL');
      await Promise.all(others.map((client) => client.end()));
      await postgres.stop();
    });
    await makePlayLink(server.url, KEY);
    await takeAllConnections(postgres.url, others);

    for (let round = 0; round < ROUNDS; round++) {
      const outcomes = await Promise.allSettled(
        Array.from({ length: INSTALLS_AT_ONCE }, (_, index) =>
          sendInstall({ url: server.url, key: KEY }, newInstall(), `10.0.${round}.${index}`),
        ),
      );
      assert.deepEqual(
        outcomes.filter(({ status }) => status === 'rejected'),
        [],
      );
    }
    // A check holds for a second.
    const short = await waitFor('readiness to have a reason', async () => {
      const answer = await readiness(server.url);
      return answer.reason === undefined ? undefined : answer;
    });
    assert.deepEqual(short, {
      status: 200,
      reason:
        'PostgreSQL, or the pooler before it, has no further connection for this process. Raise max_connections (of PgBouncer max_client_conn), or run fewer processes.',
    });

    await Promise.all(others.splice(0).map((client) => client.end()));
    await waitFor('readiness to have no reason', async () =>
      (await readiness(server.url)).reason === undefined ? true : undefined,
    );
  });
});

function newInstall() {
  return { installId: randomUUID(), clickId: randomUUID() };
}

async function takeAllConnections(url: string, taken: pg.Client[]): Promise<void> {
  for (;;) {
    const client = new pg.Client(url);
    client.on('error', () => undefined);
    try {
      await client.connect();
      taken.push(client);
    } catch {
      return;
    }
  }
}

async function readiness(url: string): Promise<{ status: number; reason: string | undefined }> {
  const answer = await fetch(`${url}/readyz`);
  const { checks } = (await answer.json()) as { checks: { database: { reason?: string } } };
  return { status: answer.status, reason: checks.database.reason };
}
