/** A database that refuses writes for a while: clicks wait in the journal, and none is rejected as invalid. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import pg from 'pg';
import { PIXEL } from '../helpers/callers.ts';
import { type Engine, engines, makePlace, type Place } from '../helpers/engines.ts';
import { clickIdIn } from '../helpers/load.ts';
import { lockDatabase } from '../helpers/lock-database.ts';
import { makePlayLink, startServer } from '../helpers/process.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';

/** Makes the database refuse writes; returns a function that ends this. */
const REFUSALS: Record<
  Engine,
  { how: string; reason: string; refuse(place: Place): Promise<() => Promise<void>> }
> = {
  postgres: {
    how: 'is made read-only, as on a full disk or a failover',
    reason: 'It is read-only. Make it writable; with PostgreSQL, name the primary in DATABASE_URL.',
    async refuse(place) {
      await setReadOnly(place, true);
      return () => setReadOnly(place, false);
    },
  },
  sqlite: {
    how: 'is locked by another program',
    reason: 'Another program holds the lock of the SQLite file. Stop that program.',
    async refuse(place) {
      const unlock = await lockDatabase(place.dataDir);
      return async () => unlock();
    },
  },
};

describe('a database that refuses writes for a while', { concurrency: true }, () => {
  for (const engine of engines)
    it(`loses no click: the ${engine} database ${REFUSALS[engine].how}`, { timeout: 60_000 }, async (t) => {
      const place = await makePlace(engine);
      const first = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY });
      const code = await makePlayLink(first.url, KEY);
      await first.end('SIGTERM');
      // The second process writes only clicks.
      const server = await startServer(place);
      t.after(async () => {
        await server.end('SIGKILL');
        await place.remove();
      });
      const clickIds = [await tap(server.url, code)];

      const endRefusal = await REFUSALS[engine].refuse(place);
      for (let taps = 0; taps < 5; taps++) clickIds.push(await tap(server.url, code));
      assert.deepEqual(await failedCheck(server.url), { ok: false, reason: REFUSALS[engine].reason });
      await endRefusal();

      assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
      const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
      assert.deepEqual(stored.toSorted(), clickIds.toSorted());
      assert.deepEqual(journalFiles(place), []);
    });
});

const noPostgres = engines.includes('postgres') ? false : 'needs PostgreSQL';

describe('a PostgreSQL that refuses new connections', { skip: noPostgres }, () => {
  it('is like an outage: known links redirect, other calls get 503', async (t) => {
    const place = await makePlace('postgres');
    const server = await startServer(place, { BOOTSTRAP_LIVE_KEY: KEY });
    t.after(async () => {
      await server.end('SIGKILL');
      await place.remove();
    });
    const code = await makePlayLink(server.url, KEY);
    const clickIds = [await tap(server.url, code)];

    await allowConnections(place, false);
    await failedCheck(server.url);
    for (let taps = 0; taps < 5; taps++) clickIds.push(await tap(server.url, code));
    assert.equal((await fetch(`${server.url}/l/unknown`)).status, 503);
    const install = await fetch(`${server.url}/v1/sdk/install`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ fingerprint: { platform: 'IOS' } }),
    });
    assert.equal(install.status, 503);
    assert.match(install.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
    await allowConnections(place, true);

    assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
    const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
    assert.deepEqual(stored.toSorted(), clickIds.toSorted());
  });
});

async function allowConnections(place: Place, may: boolean): Promise<void> {
  const url = new URL(place.databaseUrl ?? '');
  const name = url.pathname.slice(1);
  url.pathname = '/postgres';
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(`alter database ${client.escapeIdentifier(name)} allow_connections ${may}`);
  await client.query('select pg_terminate_backend(pid) from pg_stat_activity where datname = $1', [name]);
  await client.end();
}

/** The database check of `/readyz` once it fails. */
async function failedCheck(url: string): Promise<unknown> {
  return await waitFor('the database check to fail', async () => {
    const answer = await fetch(`${url}/readyz`);
    const { checks } = (await answer.json()) as { checks: { database: { ok: boolean } } };
    if (checks.database.ok) return undefined;
    assert.equal(answer.status, 503);
    return checks.database;
  });
}

async function setReadOnly(place: Place, readOnly: boolean): Promise<void> {
  const client = new pg.Client({ connectionString: place.databaseUrl ?? '' });
  await client.connect();
  const name = client.escapeIdentifier(client.database ?? '');
  await client.query('set default_transaction_read_only = off');
  await client.query(`alter database ${name} set default_transaction_read_only = ${readOnly}`);
  // The setting applies to new connections only.
  await client.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await client.end();
}

async function tap(url: string, code: string): Promise<string> {
  const answer = await fetch(`${url}/l/${code}`, { redirect: 'manual', headers: { 'user-agent': PIXEL } });
  return clickIdIn(answer.headers.get('location'));
}
