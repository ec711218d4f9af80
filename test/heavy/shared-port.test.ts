/** Processes that share one port and one database behave like one server. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../../src/lib/clock.ts';
import { DESKTOP, freshAddress, IPHONE } from '../helpers/callers.ts';
import { engines, makePlace, type Place } from '../helpers/engines.ts';
import { makePlayLink } from '../helpers/process.ts';
import {
  KEY,
  OWNER,
  ProcessConnection,
  type SharingProcess,
  startSharing,
} from '../helpers/shared-port-scene.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';

const PROCESSES = 3;

describe('three processes that share one port', { skip: !engines.includes('postgres') }, () => {
  let place: Place;
  let servers: SharingProcess[];
  let connections: readonly [ProcessConnection, ProcessConnection, ProcessConnection];
  let shortCode = '';
  let revokedKey = '';
  let revokedMs = 0;

  before(async () => {
    place = await makePlace('postgres', { isEmpty: true });
    servers = await startSharing(place, PROCESSES);
    const url = servers[0]?.url ?? '';
    connections = (await ProcessConnection.toEach(url, PROCESSES)) as unknown as typeof connections;
    shortCode = await makePlayLink(url, KEY);
    revokedKey = await makeRevokedKey();
    revokedMs = Date.now();
  });
  after(async () => {
    for (const connection of connections ?? []) connection.close();
    for (const server of servers ?? []) await server.end('SIGKILL');
    await place?.remove();
  });

  /** Every ordered pair of processes. */
  const pairs = () => connections.flatMap((one) => connections.map((other) => [one, other] as const));

  it('started concurrently on an empty database, create one app with one key of each kind', async () => {
    const keys = await queryStored(place, 'select kind from api_keys where revoked_at is null order by kind');
    assert.deepEqual(
      keys.map(({ kind }) => kind),
      ['live', 'live_publishable', 'test', 'test_publishable'],
    );
    for (const connection of connections)
      assert.equal(
        (await connection.call('GET', '/v1/links', { headers: { 'x-api-key': KEY } })).status,
        200,
      );
  });

  it('each record their address in their own data directory', () => {
    const recorded = servers.map((_, index) =>
      JSON.parse(readFileSync(join(place.dataDir, String(index), 'server.json'), 'utf8')),
    );
    assert.deepEqual(
      recorded,
      servers.map(({ url, pid }) => ({ url, pid })),
    );
  });

  it('attribute an install by the ID of a click that another process has just recorded', async () => {
    for (const [one, other] of pairs()) {
      const clickId = await one.tap(shortCode, freshAddress());
      assert.equal((await other.install(freshAddress(), { clickId })).method, 'CLICK_ID');
    }
  });

  it('attribute an install by fingerprint to a click that another process has stored', async () => {
    for (const [one, other] of pairs()) {
      const from = freshAddress();
      const headers = { 'user-agent': IPHONE, 'accept-language': 'en-US,en;q=0.9' };
      const count = async () => Number((await queryStored(place, 'select count(*) as n from clicks'))[0]?.n);
      const countBefore = await count();
      await one.call('GET', `/l/${shortCode}`, { from, headers });
      await waitFor('the click to be stored', async () => (await count()) > countBefore || undefined);
      assert.equal((await other.install(from, {})).method, 'FINGERPRINT');
    }
  });

  it('apply a link change made through any of them within a second', async () => {
    const destinationAt = async (connection: ProcessConnection, code: string) =>
      (await connection.call('GET', `/l/${code}`, { headers: { 'user-agent': DESKTOP } })).headers.location;
    const changes: { code: string; fallbackUrl: string }[] = [];
    for (const [index, connection] of connections.entries()) {
      const code = await makePlayLink(servers[0]?.url ?? '', KEY);
      for (const other of connections) await destinationAt(other, code);
      const fallbackUrl = `https://example.com/${index}`;
      const about = { headers: { 'x-api-key': KEY }, body: { fallbackUrl } };
      assert.equal((await connection.call('PATCH', `/v1/links/${code}`, about)).status, 200);
      changes.push({ code, fallbackUrl });
    }
    await sleep(SECOND_MS);
    for (const { code, fallbackUrl } of changes)
      for (const other of connections) assert.equal(await destinationAt(other, code), fallbackUrl);
  });

  it('each serve their own readiness and metrics, and nothing else, on METRICS_PORT', async () => {
    const taps = async ({ monitoringUrl }: SharingProcess) => {
      const response = await fetch(`${monitoringUrl}/metrics`, { headers: OWNER });
      const pattern = /^throughline_clicks_recorded_total\{visitor="human"\} (\d+)$/m;
      return Number(pattern.exec(await response.text())?.[1] ?? 0);
    };
    const before = await Promise.all(servers.map(taps));
    await connections[0].tap(shortCode, freshAddress());
    const after = await Promise.all(servers.map(taps));
    assert.deepEqual(after.map((count, index) => count - (before[index] ?? 0)).sort(), [0, 0, 1]);

    for (const { monitoringUrl } of servers) {
      assert.equal((await fetch(`${monitoringUrl}/readyz?x=1`)).status, 200);
      assert.equal((await fetch(`${monitoringUrl}/healthz`)).status, 200);
      assert.equal((await fetch(`${monitoringUrl}/metrics`)).status, 401);
      assert.equal((await fetch(`${monitoringUrl}/v1/links`, { headers: { 'x-api-key': KEY } })).status, 404);
    }
  });

  it('reject a key within 5 seconds of its revocation through one of them', async () => {
    await sleep(Math.max(0, revokedMs + 5 * SECOND_MS - Date.now()));
    for (const connection of connections) assert.equal(await listWith(connection, revokedKey), 401);
  });

  /** A key that each process has accepted. */
  async function makeRevokedKey(): Promise<string> {
    const { body } = await connections[0].call('GET', '/v1/admin/apps', { headers: OWNER });
    const [{ id: appId }] = JSON.parse(body);
    const keysPath = `/v1/admin/apps/${appId}/keys`;
    const made = await connections[1].call('POST', keysPath, { headers: OWNER, body: { kind: 'live' } });
    const { id, key } = JSON.parse(made.body);
    for (const connection of connections) assert.equal(await listWith(connection, key), 200);
    assert.equal((await connections[2].call('DELETE', `${keysPath}/${id}`, { headers: OWNER })).status, 204);
    return key;
  }
});

async function listWith(connection: ProcessConnection, key: string): Promise<number> {
  return (await connection.call('GET', '/v1/links', { headers: { 'x-api-key': key } })).status;
}
