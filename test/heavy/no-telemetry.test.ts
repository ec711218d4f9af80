/** The service makes no connection that no setting and no app asked for. */
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { mixedRound } from '../helpers/mixed-round.ts';
import { makePlayLink, type RunningServer, startServer } from '../helpers/process.ts';
import { waitFor } from '../helpers/wait-for.ts';

const KEY = 'svc_live_0123456789abcdef';
const ADMIN_TOKEN = 'an admin token for tests';
/** Keys to ask with, and the address of each caller; nothing else differs from the defaults. */
const ENV = { BOOTSTRAP_LIVE_KEY: KEY, ADMIN_TOKEN, TRUST_PROXY: '1' };
const RECORDER = new URL('../helpers/record-connections.ts', import.meta.url).href;
/** The loops that run every minute, such as those of retention and health, run once. */
const BACKGROUND_MS = 65_000;

for (const engine of engines) {
  describe(`a process with default settings on ${engine}`, { timeout: 240_000 }, () => {
    let place: Place;
    let folder: string;
    let server: RunningServer;
    const recorded = () => readFileSync(join(folder, 'connections'), 'utf8').trim().split('\n');
    before(async () => {
      folder = mkdtempSync(join(tmpdir(), 'throughline-connections-'));
      place = await makePlace(engine);
      server = await startServer(place, {
        ...ENV,
        NODE_OPTIONS: `--import=${RECORDER}`,
        CONNECTIONS: join(folder, 'connections'),
      });
    });
    after(async () => {
      await server?.end('SIGKILL');
      await place?.remove();
      rmSync(folder, { recursive: true, force: true });
    });

    it('connects to nothing but its database under traffic of every kind, in no thread', async () => {
      const shortCodes = [await makePlayLink(server.url, KEY), await makePlayLink(server.url, KEY)];
      const startMs = Date.now();
      await mixedRound({ url: server.url, key: KEY, adminToken: ADMIN_TOKEN, shortCodes });
      for (const path of pagesOf(shortCodes))
        await fetch(server.url + path, {
          headers: { 'x-api-key': KEY, authorization: `Bearer ${ADMIN_TOKEN}` },
        });
      await new Promise((resolve) => setTimeout(resolve, startMs + BACKGROUND_MS - Date.now()));
      const threads = recorded().filter((line) => line.startsWith('start'));
      assert.ok(threads.length > (engine === 'sqlite' ? 2 : 0), `${threads.length} threads`);
      assert.deepEqual(
        recorded().filter((line) => !line.startsWith('start') && !isOfDatabase(line, place)),
        [],
      );
    });

    it('connects where an app asks it to, which the test would see', async () => {
      const hook = {
        url: 'https://hooks.example.invalid/x',
        events: ['install.organic'],
        secret: 'generate',
      };
      await post(server, '/v1/webhooks', hook);
      await post(server, '/v1/sdk/install', { fingerprint: { platform: 'ANDROID' } });
      await waitFor('the webhook', () =>
        recorded().some((line) => line.includes('hooks.example.invalid')) ? true : undefined,
      );
    });
  });
}

function pagesOf(shortCodes: readonly string[]): string[] {
  return [
    ...[
      '/',
      '/console',
      '/docs',
      '/docs/guide/links',
      '/llms.txt',
      '/openapi.json',
      '/sdk/web.js',
      '/metrics',
    ],
    ...['/healthz', '/readyz', '/v1/admin/health', '/v1/admin/apps', '/v1/search?q=a', '/v1/stats/accuracy'],
    ...shortCodes.flatMap((code) => [
      `/v1/links/${code}`,
      `/v1/links/${code}/diagnosis`,
      `/v1/links/${code}/qr`,
    ]),
    '/.well-known/apple-app-site-association',
  ];
}

function isOfDatabase(line: string, { databaseUrl }: Place): boolean {
  if (databaseUrl === null) return false;
  const { hostname, port } = new URL(databaseUrl);
  return line.includes(`"${hostname}"`) && (line.startsWith('look up') || line.includes(port));
}

async function post({ url }: RunningServer, path: string, body: object): Promise<void> {
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { 'x-api-key': KEY, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  assert.ok(answer.ok, `${path}: ${answer.status} ${await answer.text()}`);
}
