/** A database outage: known links redirect, other calls get 503, and no record is lost or duplicated. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import pg from 'pg';
import { PIXEL } from '../helpers/callers.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { clickIdIn, sendInstall } from '../helpers/load.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { journalFiles, queryStored } from '../helpers/stored.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
/** Cached links are served for this long. */
const LINK_TRUST_MS = 1_000;
/** For this long after an app's first request, its links are read again. */
const LINK_SETTLES_MS = 3_000;

const OUTAGES = {
  'refuses connections': (proxy: TcpProxy) => proxy.cut(),
  'does not respond': async (proxy: TcpProxy) => proxy.fallSilent(),
};

describe('the service', { concurrency: true, skip: !engines.includes('postgres') }, () => {
  for (const [how, interrupt] of Object.entries(OUTAGES))
    describe(`while PostgreSQL ${how}`, { concurrency: false }, () => {
      let place: Place;
      let proxy: TcpProxy;
      let server: RunningServer;
      let known: string;
      let unread: string;
      const clickIds: string[] = [];
      const installId = randomUUID();

      before(async () => {
        place = await makePlace('postgres');
        proxy = await TcpProxy.open(place.databaseUrl ?? '');
        server = await startServer(place, settings());
        [known, unread] = [await makePlayLink(server.url, KEY), await makePlayLink(server.url, KEY)];
        clickIds.push(await tap(known));
        await new Promise((resolve) => setTimeout(resolve, LINK_SETTLES_MS));
        clickIds.push(await tap(known));
      });
      after(async () => {
        await server?.end('SIGKILL');
        await proxy?.cut();
        await place?.remove();
      });
      const settings = () => ({
        BOOTSTRAP_LIVE_KEY: KEY,
        DATABASE_URL: proxy.through(place.databaseUrl ?? ''),
      });
      async function tap(code: string): Promise<string> {
        const answer = await tapOnce(server.url, code);
        assert.equal(answer.status, 302);
        return clickIdIn(answer.headers.get('location'));
      }

      it('a known link redirects, with a click ID', async () => {
        await interrupt(proxy);
        for (let taps = 0; taps < 5; taps++) clickIds.push(await tap(known));
        await new Promise((resolve) => setTimeout(resolve, LINK_TRUST_MS));
        clickIds.push(...(await Promise.all(Array.from({ length: 20 }, () => tap(known)))));
        assert.equal(new Set(clickIds).size, 27);
      });

      // Each waits for the database until it gives up.
      describe('meanwhile', { concurrency: true }, () => {
        it('an unread link gets 503, not 404', async () => {
          const [plain, inBrowser] = await Promise.all([
            tapOnce(server.url, unread),
            tapOnce(server.url, unread, { accept: 'text/html,*/*;q=0.8' }),
          ]);
          await assertUnavailable(plain);
          assert.equal(inBrowser.status, 503);
          assert.match(inBrowser.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
          assert.equal(inBrowser.headers.get('x-service-error'), 'database.unavailable');
          assert.match(await inBrowser.text(), /Load the page again/);
        });

        it('an install gets 503 with Retry-After', async () => {
          const answer = await fetch(`${server.url}/v1/sdk/install`, {
            method: 'POST',
            headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
            body: JSON.stringify({ installId, clickId: clickIds[1], fingerprint: { platform: 'ANDROID' } }),
          });
          await assertUnavailable(answer);
        });

        it('the server is healthy and not ready', async () => {
          assert.equal((await fetch(`${server.url}/healthz`)).status, 200);
          const answer = await fetch(`${server.url}/readyz`);
          assert.equal(answer.status, 503);
          const { status, checks } = (await answer.json()) as {
            status: string;
            checks: Record<string, unknown>;
          };
          assert.equal(status, 'not_ready');
          assert.equal((checks.database as { ok: boolean }).ok, false);
        });
      });

      it('clicks survive a kill, and a stop with code 0', async () => {
        await server.end('SIGKILL');
        await proxy.restore();
        server = await startServer(place, settings());
        clickIds.push(await tap(known));
        await interrupt(proxy);
        clickIds.push(await tap(known), await tap(known));
        assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });
      });

      it('every click and install is stored once, once the database is back', async () => {
        await proxy.restore();
        server = await startServer(place, settings());
        const caller = { url: server.url, key: KEY };
        const install = { installId, clickId: clickIds[1] ?? '' };
        const first = await sendInstall(caller, install, '192.0.2.1');
        assert.equal(first.method, 'CLICK_ID');
        assert.deepEqual(await sendInstall(caller, install, '192.0.2.1'), first);
        clickIds.push(await tap(unread));
        assert.deepEqual(await server.end('SIGTERM'), { code: 0, signal: null });

        const stored = (await queryStored(place, 'select id from clicks')).map(({ id }) => id);
        assert.deepEqual(stored.toSorted(), clickIds.toSorted());
        assert.equal((await queryStored(place, 'select id from installs')).length, 1);
        assert.deepEqual(journalFiles(place), []);
      });
    });
});

describe('a connection to PostgreSQL that is lost', { skip: !engines.includes('postgres') }, () => {
  it('fails the transaction in progress only', async (t) => {
    const place = await makePlace('postgres');
    const proxy = await TcpProxy.open(place.databaseUrl ?? '');
    const env = { BOOTSTRAP_LIVE_KEY: KEY, DATABASE_URL: proxy.through(place.databaseUrl ?? '') };
    const server = await startServer(place, env);
    const holder = new pg.Client({ connectionString: place.databaseUrl ?? '' });
    t.after(async () => {
      await server.end('SIGKILL');
      await holder.end();
      await proxy.cut();
      await place.remove();
    });
    await holder.connect();
    await holder.query('begin; lock table audit_log in exclusive mode');
    const held = fetch(`${server.url}/v1/privacy/erase`, {
      method: 'POST',
      headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
      body: JSON.stringify({ userId: 'ada' }),
    });
    await waitFor('the transaction to wait', async () => {
      const waiting = `select 1 from pg_locks where not granted and relation = 'audit_log'::regclass`;
      return (await queryStored(place, waiting))[0];
    });
    await proxy.cut();
    await assertUnavailable(await held);
    await holder.query('rollback');
    await proxy.restore();
    await makePlayLink(server.url, KEY);
  });
});

async function tapOnce(url: string, code: string, headers: Record<string, string> = {}): Promise<Response> {
  return await fetch(`${url}/l/${code}`, {
    redirect: 'manual',
    headers: { 'user-agent': PIXEL, ...headers },
  });
}

async function assertUnavailable(answer: Response): Promise<void> {
  assert.equal(answer.status, 503);
  assert.match(answer.headers.get('retry-after') ?? '', /^[1-9]\d*$/);
  assert.deepEqual(Object.keys((await answer.json()) as object), ['error']);
}
