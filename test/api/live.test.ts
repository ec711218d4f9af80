/** `GET /v1/live` over real connections. */
import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { MINUTE_MS } from '../../src/lib/clock.ts';
import { engines } from '../helpers/engines.ts';
import {
  type LiveClient,
  type LiveRequest,
  listenAt,
  openLive,
  requestLive,
} from '../helpers/live-client.ts';
import { useTwoNodes } from '../helpers/nodes.ts';
import { erase } from '../helpers/privacy-scene.ts';
import { TcpProxy } from '../helpers/tcp-proxy.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { freshAddress, PIXEL, type TestApp, useWorld, World } from '../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

const AT_ONCE = 100;

/** A stream that is closed after the test. */
async function open(t: TestContext, world: World, call: LiveRequest): Promise<LiveClient> {
  const client = await openLive(await listenAt(world), call);
  t.after(() => client.close());
  return client;
}

async function event(world: World, app: TestApp, installId: string, eventName: string): Promise<void> {
  const body = { installId, eventName };
  const { status, text } = await world.call('POST', '/v1/sdk/event', { key: app.keys.live, body });
  assert.equal(status, 201, text);
}

const names = (client: LiveClient) => client.records.map(({ data }) => data.eventName);
const shortCodes = (client: LiveClient) => client.records.map(({ data }) => data.shortCode);

for (const engine of engines)
  describe(`the live view on ${engine}`, () => {
    const world = useWorld(engine);

    it('each human click, install, open and event arrives once, as its list has it', async (t) => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { shortCode } = await world.newLink(app, PLAY);
      const live = await open(t, world, { key });
      const from = freshAddress();
      await world.tap(`${shortCode}?phone=mine`, { userAgent: PIXEL, from });
      await world.tap(shortCode, { userAgent: 'curl/8.0', from });
      await live.receives(1);
      const clickId = live.records[0]?.data.id;
      const { installId } = (await world.install(app, { clickId }, { from })).body;
      await event(world, app, installId, 'bought');
      const fingerprint = { platform: 'ANDROID' };
      await world.call('POST', '/v1/sdk/open', { key, body: { fingerprint, installId }, from });
      await event(world, app, installId, 'session_start');
      await event(world, app, installId, 'last');
      await waitFor('the last event', () => names(live).includes('last') || undefined);

      const byType = Object.groupBy(live.records, ({ data }) => data.type as string);
      for (const [type, list] of [
        ['click', 'clicks'],
        ['install', 'installs'],
        ['open', 'opens'],
        ['event', 'events'],
      ] as const) {
        const listed = (await world.call('GET', `/v1/${list}`, { key })).body as { id: string }[];
        const streamed = byType[type]?.map(({ data: { type: _type, ...item } }) => item) ?? [];
        assert.ok(listed.length > 0, type);
        assert.deepEqual(sorted(streamed), sorted(listed));
      }
      assert.equal(byType.click?.[0]?.data.query.phone, 'mine');
      const { headers } = live.response;
      assert.equal(headers['content-type'], 'text/event-stream; charset=utf-8');
      assert.equal(headers['cache-control'], 'no-store');
      assert.equal(headers['x-accel-buffering'], 'no');
      assert.ok(headers['x-request-id']);
    });

    it('a stream has the records of its app and of live or sandbox traffic alone', async (t) => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const codes = {
        live: (await world.newLink(app)).shortCode,
        sandbox: (await world.newLink(app, {}, app.keys.test)).shortCode,
        other: (await world.newLink(other)).shortCode,
      };
      const liveKey = await open(t, world, { key: app.keys.live });
      const testKey = await open(t, world, { key: app.keys.test });
      const ofSandbox = await open(t, world, { key: app.keys.live, query: '?sandbox=true' });
      for (const code of [codes.other, codes.sandbox, codes.live, codes.sandbox]) await world.tap(code);
      for (const client of [testKey, ofSandbox]) {
        await client.receives(2);
        assert.deepEqual(shortCodes(client), [codes.sandbox, codes.sandbox]);
      }
      await liveKey.receives(1);
      assert.deepEqual(shortCodes(liveKey), [codes.live]);
      for (const query of ['?sandbox=false', `?shortCode=${codes.other}`])
        assert.notEqual(
          (await requestLive(await listenAt(world), { key: app.keys.test, query })).statusCode,
          200,
        );
      for (const [key, status] of [
        [app.keys.live_publishable, 401],
        ['svc_live_unknownunknownunknown', 401],
      ] as const)
        assert.equal((await requestLive(await listenAt(world), { key })).statusCode, status);
    });

    it('filters by type, link and campaign', async (t) => {
      const app = await world.newApp();
      const key = app.keys.live;
      const one = (await world.newLink(app, { campaignId: 'spring' })).shortCode;
      const two = (await world.newLink(app)).shortCode;
      const clients = await Promise.all(
        ['?type=install', `?shortCode=${two}`, '?campaignId=spring'].map((query) =>
          open(t, world, { key, query }),
        ),
      );
      for (const code of [one, two]) await world.tap(code, { from: freshAddress() });
      const { installId } = (await world.install(app, {}, { from: freshAddress() })).body;
      for (const client of clients) await client.receives(1);
      const [installs, link, campaign] = clients as [LiveClient, LiveClient, LiveClient];
      assert.deepEqual(
        installs.records.map(({ data }) => data.id),
        [installId],
      );
      assert.deepEqual(shortCodes(link), [two]);
      assert.deepEqual(shortCodes(campaign), [one]);
    });

    it('a stream resumes after any message of the last minute, without loss or repetition', async (t) => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { installId } = (await world.install(app)).body;
      const first = await open(t, world, { key, query: '?type=event' });
      for (const name of ['a', 'b', 'c']) await event(world, app, installId, name);
      await first.receives(3);
      first.close();
      for (const name of ['d', 'e']) await event(world, app, installId, name);
      const resume = async (after: string | undefined, expected: string[]) => {
        const client = await open(t, world, { key, query: '?type=event', after });
        await client.receives(expected.length);
        assert.deepEqual([names(client), client.lost], [expected, []]);
        client.close();
      };
      await resume(first.messages[0]?.id, ['a', 'b', 'c', 'd', 'e']);
      await resume(first.records[1]?.id, ['c', 'd', 'e']);
      await resume(first.records[2]?.id, ['d', 'e']);
      // As another process or a restarted one would: the numbers of that feed mean nothing here.
      const [, number, at] = first.records[0]?.id.split('.') ?? [];
      await resume(`another.${number}.${at}`, ['a', 'b', 'c', 'd', 'e']);

      world.clock.advance(2 * MINUTE_MS);
      await event(world, app, installId, 'f');
      const late = await open(t, world, { key, query: '?type=event', after: first.messages[0]?.id });
      await late.receives(1);
      assert.deepEqual([names(late), late.lost], [['f'], [null]]);
    });

    it('a reader that stops reading is told how many records it lost, and costs bounded memory', async (t) => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { installId } = (await world.install(app)).body;
      const url = await listenAt(world);
      const sockets: { writableLength: number }[] = [];
      world.service.api.server.on('connection', (socket) => sockets.push(socket));
      const live = await openLive(url, { key, query: '?type=event' });
      t.after(() => live.close());
      live.response.pause();
      const stored = 500;
      await storeEvents(world, app, installId, stored);
      await waitFor(
        'a full socket',
        () => sockets.some(({ writableLength }) => writableLength > 200_000) || undefined,
      );
      // Past what the stream can still take.
      world.clock.advance(2 * MINUTE_MS);
      const witness = await open(t, world, { key, query: '?type=event' });
      await event(world, app, installId, 'last');
      await witness.receives(1);
      for (const { writableLength } of sockets)
        assert.ok(writableLength < 400_000, `${writableLength} bytes`);

      live.response.resume();
      await waitFor('the last event', () => names(live).includes('last') || undefined);
      const received = live.records.length - 1;
      assert.ok(received > 0 && received < stored, `${received} received`);
      assert.deepEqual(live.lost, [stored - received]);
      assert.equal(new Set(live.records.map(({ data }) => data.id)).size, received + 1);
    });

    it('records that were erased in the meantime are not sent again', async (t) => {
      const app = await world.newApp();
      const key = app.keys.live;
      const { shortCode } = await world.newLink(app);
      const first = await open(t, world, { key });
      const [person, stranger] = [freshAddress(), freshAddress()];
      await world.tap(shortCode, { from: person });
      await first.receives(1);
      await world.tap(shortCode, { from: stranger });
      await first.receives(2);
      await erase(world, app, { ipAddress: person });
      const resumed = await open(t, world, { key, after: first.messages[0]?.id });
      await resumed.receives(1);
      assert.deepEqual(
        resumed.records.map(({ data }) => data.id),
        [first.records[1]?.data.id],
      );
    });

    it('a key has at most 5 streams, and a closed one makes room', async (t) => {
      const app = await world.newApp();
      const key = app.keys.live;
      const clients = await Promise.all(Array.from({ length: 5 }, () => open(t, world, { key })));
      const sixth = await requestLive(await listenAt(world), { key });
      assert.equal(sixth.statusCode, 429);
      assert.equal(sixth.headers['x-service-error'], 'live.too_many');
      assert.ok(sixth.headers['retry-after']);
      await open(t, world, { key: app.keys.test });
      clients[0]?.close();
      await waitFor('room', async () => {
        const response = await requestLive(await listenAt(world), { key });
        response.destroy();
        return response.statusCode === 200 || undefined;
      });
    });

    it('the streams of a revoked key end', async (t) => {
      const app = await world.newApp();
      const live = await open(t, world, { key: app.keys.live });
      const keys = (await world.admin('GET', `/apps/${app.id}/keys`)).body as { id: string; kind: string }[];
      const { id } = keys.find(({ kind }) => kind === 'live') ?? { id: '' };
      await world.admin('DELETE', `/apps/${app.id}/keys/${id}`);
      await live.ended();
    });
  });

if (engines.includes('postgres'))
  describe('the live view of two processes', () => {
    const nodes = useTwoNodes();

    it('a stream has what the other process records, and resumes there', async (t) => {
      const { first, second } = nodes;
      const app = await first.newApp();
      const key = app.keys.live;
      const { shortCode } = await first.newLink(app);
      const live = await open(t, first, { key });
      await second.tap(shortCode);
      const { installId } = (await second.install(app, {}, { from: freshAddress() })).body;
      await event(second, app, installId, 'bought');
      await live.receives(3);
      assert.deepEqual(live.records.map(({ data }) => data.type).sort(), ['click', 'event', 'install']);
      live.close();
      await event(first, app, installId, 'meanwhile');
      const resumed = await open(t, second, { key, query: '?type=event', after: live.messages.at(-1)?.id });
      await waitFor('the event', () => names(resumed).includes('meanwhile') || undefined);
    });

    it('a stream stays open while the database is away, and then has the clicks of that time', async (t) => {
      const { databaseUrl } = nodes.first.place;
      const proxy = await TcpProxy.open(databaseUrl ?? '');
      const node = new World('postgres', { DATABASE_URL: proxy.through(databaseUrl ?? '') });
      await node.open();
      t.after(async () => {
        await node.remove();
        await proxy.cut();
      });
      const app = await node.newApp();
      const { shortCode } = await node.newLink(app);
      const live = await open(t, node, { key: app.keys.live });
      await node.tap(shortCode);
      await live.receives(1);
      await proxy.cut();
      const url = await listenAt(node);
      await waitFor('a failed read', async () => {
        const response = await requestLive(url, { key: app.keys.live });
        response.destroy();
        return response.statusCode === 503 || undefined;
      });
      await node.tap(shortCode, { from: freshAddress() });
      node.clock.advance(MINUTE_MS / 2);
      await proxy.restore();
      await live.receives(2);
      assert.equal(new Set(live.records.map(({ data }) => data.id)).size, 2);
    });
  });

function sorted(items: readonly { readonly id: string }[]) {
  return items.toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/** Events of 30 KB: more than the kernel takes for a reader that does not read. */
async function storeEvents(world: World, app: TestApp, installId: string, count: number): Promise<void> {
  const { db, ids, clock } = world.service;
  const at = new Date(clock.nowMs()).toISOString();
  const value = {
    app_id: app.id,
    install_id: installId,
    event_name: 'large',
    properties: JSON.stringify({ text: 'x'.repeat(30_000) }),
    sandbox: 0 as const,
    occurred_at: at,
    created_at: at,
  };
  for (let stored = 0; stored < count; stored += AT_ONCE)
    await db
      .insertInto('events')
      .values(Array.from({ length: AT_ONCE }, () => ({ ...value, id: ids.next() })))
      .execute();
}
