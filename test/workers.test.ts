/** Several workers behind one port answer as one server does, whichever of them is asked. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { SECOND_MS } from '../src/platform/clock.ts';
import { engines, makePlace, type Place } from './engines.ts';
import { makePlayLink, makeUnconfiguredPlace, type RunningServer, startServer } from './process.ts';
import { queryStored } from './stored.ts';
import { ADMIN_TOKEN, KEY, logOf, startWorkers, WorkerConnection, workerPids } from './workers-scene.ts';
import { DESKTOP, freshAddress, IPHONE } from './world.ts';

const WORKERS = 4;
const SDK_KEY = 'svc_live_pub_0123456789abcdef';
const OWNER = { authorization: `Bearer ${ADMIN_TOKEN}` };

describe('four workers behind one port', { skip: !engines.includes('postgres') }, () => {
  let place: Place;
  let server: RunningServer;
  let workers: readonly [WorkerConnection, WorkerConnection, WorkerConnection, WorkerConnection];
  let shortCode = '';

  before(async () => {
    place = await makePlace('postgres');
    server = await startWorkers(place, WORKERS, { BOOTSTRAP_SDK_KEY: SDK_KEY });
    workers = (await WorkerConnection.toEach(server.url, WORKERS)) as unknown as typeof workers;
    shortCode = await makePlayLink(server.url, KEY);
  });
  after(async () => {
    for (const worker of workers ?? []) worker.close();
    await server?.end('SIGKILL');
    await place?.remove();
  });

  /** Every worker with every other one. */
  const pairs = () => workers.flatMap((one) => workers.map((other) => [one, other] as const));

  it('say once that they listen, where, and each which process it is', () => {
    const listening = logOf(server).filter(({ msg }) => msg === 'Throughline is listening');
    assert.deepEqual(
      listening.map(({ url }) => url),
      [server.url],
    );
    assert.deepEqual([...workerPids(server).keys()].sort(), [1, 2, 3, 4]);
    const { url, pid } = JSON.parse(readFileSync(join(place.dataDir, 'server.json'), 'utf8'));
    assert.deepEqual({ url, pid }, { url: server.url, pid: server.pid });
  });

  it('a click that one has just recorded attributes the install that names it to any other', async () => {
    for (const [one, other] of pairs()) {
      const from = freshAddress();
      const clickId = await one.tap(shortCode, from);
      assert.equal((await other.install(freshAddress(), { clickId })).method, 'CLICK_ID');
    }
  });

  it('a click that one has just recorded attributes an install that looks like it to any other', async () => {
    for (const [one, other] of pairs()) {
      const from = freshAddress();
      const headers = { 'user-agent': IPHONE, 'accept-language': 'en-US,en;q=0.9' };
      await one.call('GET', `/l/${shortCode}`, { from, headers });
      assert.equal((await other.install(from, {})).method, 'FINGERPRINT');
    }
  });

  it('count the calls of an address together', async () => {
    const from = freshAddress();
    const body = { events: [{ installId: randomUUID(), eventName: 'a' }] };
    const about = { from, body, headers: { 'x-api-key': KEY } };
    const statuses: number[] = [];
    const callOften = async (worker: WorkerConnection) => {
      for (let calls = 0; calls < 152; calls++)
        statuses.push((await worker.call('POST', '/v1/sdk/events', about)).status);
    };
    await Promise.all(workers.map(callOften));
    assert.equal(statuses.length, 608);
    assert.equal(statuses.filter((status) => status === 429).length, 8);
  });

  it('count the calls of an install together, and those refused do not count for its address', async () => {
    const from = freshAddress();
    const installId = randomUUID();
    const identify = (worker: WorkerConnection, id: string) =>
      worker.call('POST', '/v1/sdk/identify', {
        from,
        body: { installId: id, userId: 'u1' },
        headers: { 'x-api-key': SDK_KEY },
      });
    const statuses: number[] = [];
    const callOften = async (worker: WorkerConnection) => {
      for (let calls = 0; calls < 160; calls++) statuses.push((await identify(worker, installId)).status);
    };
    await Promise.all(workers.map(callOften));
    assert.equal(statuses.filter((status) => status === 404).length, 120);
    assert.equal(statuses.filter((status) => status === 429).length, 520);
    const other = await identify(workers[0], randomUUID());
    assert.equal(other.status, 404);
    assert.match(other.headers.ratelimit ?? '', /^"sdk";r=479;/);
  });

  it('a change of a link made by one is seen by all others within a second', async () => {
    const whereTo = async (worker: WorkerConnection) =>
      (await worker.call('GET', `/l/${shortCode}`, { headers: { 'user-agent': DESKTOP } })).headers.location;
    for (const [turn, worker] of workers.entries()) {
      for (const other of workers) await whereTo(other);
      const fallbackUrl = `https://example.com/${turn}`;
      const about = { headers: { 'x-api-key': KEY }, body: { fallbackUrl } };
      assert.equal((await worker.call('PATCH', `/v1/links/${shortCode}`, about)).status, 200);
      await sleep(SECOND_MS);
      for (const other of workers) assert.equal(await whereTo(other), fallbackUrl);
    }
  });

  it('a key that was revoked through one is refused by all others within 5 seconds', async () => {
    const { body } = await workers[0].call('GET', '/v1/admin/apps', { headers: OWNER });
    const [{ id: appId }] = JSON.parse(body);
    const made = await workers[1].call('POST', `/v1/admin/apps/${appId}/keys`, {
      headers: OWNER,
      body: { kind: 'live' },
    });
    const { id, key } = JSON.parse(made.body);
    const about = { headers: { 'x-api-key': key } };
    for (const worker of workers) assert.equal((await worker.call('GET', '/v1/links', about)).status, 200);
    const path = `/v1/admin/apps/${appId}/keys/${id}`;
    assert.equal((await workers[2].call('DELETE', path, { headers: OWNER })).status, 204);
    await sleep(5 * SECOND_MS);
    for (const worker of workers) assert.equal((await worker.call('GET', '/v1/links', about)).status, 401);
  });

  it('each gives the metrics of all', async () => {
    const taps = async (worker: WorkerConnection) => {
      const { body } = await worker.call('GET', '/metrics', { headers: OWNER });
      assert.match(body, /^throughline_workers 4$/m);
      return Number(/^throughline_clicks_recorded_total\{visitor="human"\} (\d+)$/m.exec(body)?.[1]);
    };
    await workers[0].tap(shortCode, freshAddress());
    const before = await taps(workers[0]);
    assert.ok(before > 0);
    for (const worker of workers) await worker.tap(shortCode, freshAddress());
    for (const worker of workers) assert.equal(await taps(worker), before + WORKERS);
  });

  it('each says of all whether they are ready', async () => {
    for (const worker of workers) {
      const { status, body } = await worker.call('GET', '/readyz');
      assert.equal(status, 200);
      assert.deepEqual(JSON.parse(body).checks.workers, { ok: true, running: 4, of: 4, silent: [] });
    }
  });
});

describe('the first start of several workers', { skip: !engines.includes('postgres') }, () => {
  let place: Place;
  let server: RunningServer;
  before(async () => {
    place = await makeUnconfiguredPlace('postgres');
    server = await startServer(place, { WORKERS: '3' });
  });
  after(async () => {
    await server?.end('SIGKILL');
    await place?.remove();
  });

  it('makes one app with one key of each kind, shown once, for whichever worker is asked', async () => {
    const keys = await queryStored(place, 'select kind from api_keys order by kind');
    assert.deepEqual(
      keys.map(({ kind }) => kind),
      ['live', 'live_publishable', 'test', 'test_publishable'],
    );
    const plain = server
      .output()
      .trim()
      .split('\n')
      .filter((line) => !line.startsWith('{'));
    const path = join(place.dataDir, 'first-keys.txt');
    assert.deepEqual(plain, [`The keys of the first app are in ${path}`]);
    const [key = ''] = readFileSync(path, 'utf8').match(/svc_live_us_\w+/) ?? [];
    for (const worker of await WorkerConnection.toEach(server.url, 3)) {
      assert.equal((await worker.call('GET', '/v1/links', { headers: { 'x-api-key': key } })).status, 200);
      worker.close();
    }
  });
});
