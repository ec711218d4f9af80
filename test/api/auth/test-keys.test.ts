/** A test key changes nothing of the live side. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ENDPOINTS } from '../../helpers/endpoints.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { liftRateLimits } from '../../helpers/rate-limits.ts';
import { type Call, freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

type Method = 'POST' | 'PUT' | 'PATCH' | 'DELETE';

interface Records {
  readonly code: string;
  readonly installId: string;
  readonly webhookId: string;
  readonly destinationId: string;
  readonly costId: string;
}

/** Every endpoint that a secret test key could change something with, aimed at live records. */
const CHANGES: readonly (readonly [
  Method,
  path: string,
  request: (live: Records) => { path?: string; body?: object },
])[] = [
  ['POST', '/v1/links', ({ code }) => ({ body: { deepLinkPath: '/taken', shortCode: code } })],
  [
    'PATCH',
    '/v1/links/{shortCode}',
    ({ code }) => ({ path: `/v1/links/${code}`, body: { campaignId: 'test' } }),
  ],
  ['DELETE', '/v1/links/{shortCode}', ({ code }) => ({ path: `/v1/links/${code}` })],
  [
    'POST',
    '/v1/links/batch',
    ({ code }) => ({ body: { links: [{ deepLinkPath: '/taken', shortCode: code }] } }),
  ],
  [
    'PATCH',
    '/v1/links/batch',
    ({ code }) => ({ body: { links: [{ shortCode: code, campaignId: 'test' }] } }),
  ],
  ['POST', '/v1/links/deletions', ({ code }) => ({ body: { shortCodes: [code] } })],
  [
    'POST',
    '/v1/destinations',
    () => ({ body: { type: 'segment', name: 'Segment', config: { writeKey: 'a-key' } } }),
  ],
  [
    'PATCH',
    '/v1/destinations/{destinationId}',
    ({ destinationId }) => ({ path: `/v1/destinations/${destinationId}`, body: { enabled: false } }),
  ],
  [
    'DELETE',
    '/v1/destinations/{destinationId}',
    ({ destinationId }) => ({ path: `/v1/destinations/${destinationId}` }),
  ],
  [
    'POST',
    '/v1/destinations/{destinationId}/recovery',
    ({ destinationId }) => ({
      path: `/v1/destinations/${destinationId}/recovery`,
      body: { since: '2020-01-01T00:00:00Z' },
    }),
  ],
  [
    'POST',
    '/v1/destinations/{destinationId}/test',
    ({ destinationId, installId }) => ({
      path: `/v1/destinations/${destinationId}/test`,
      body: { installId },
    }),
  ],
  [
    'POST',
    '/v1/destinations/{destinationId}/preview',
    ({ destinationId, installId }) => ({
      path: `/v1/destinations/${destinationId}/preview`,
      body: { installId },
    }),
  ],
  [
    'POST',
    '/v1/destinations/deliveries/{attemptId}/redelivery',
    ({ installId }) => ({ path: `/v1/destinations/deliveries/${installId}/redelivery` }),
  ],
  ['POST', '/v1/webhooks', () => ({ body: { url: 'https://example.com/', secret: 'a secret' } })],
  [
    'PATCH',
    '/v1/webhooks/{webhookId}',
    ({ webhookId }) => ({ path: `/v1/webhooks/${webhookId}`, body: { enabled: false } }),
  ],
  ['DELETE', '/v1/webhooks/{webhookId}', ({ webhookId }) => ({ path: `/v1/webhooks/${webhookId}` })],
  [
    'POST',
    '/v1/webhooks/{webhookId}/recovery',
    ({ webhookId }) => ({
      path: `/v1/webhooks/${webhookId}/recovery`,
      body: { since: '2020-01-01T00:00:00Z' },
    }),
  ],
  ['POST', '/v1/webhooks/{webhookId}/test', ({ webhookId }) => ({ path: `/v1/webhooks/${webhookId}/test` })],
  [
    'POST',
    '/v1/webhooks/deliveries/{attemptId}/redelivery',
    ({ installId }) => ({ path: `/v1/webhooks/deliveries/${installId}/redelivery` }),
  ],
  [
    'PUT',
    '/v1/skan/conversion-values',
    () => ({ body: { windows: [{ fine: [{ from: 1, to: 2, eventName: 'test' }] }] } }),
  ],
  [
    'POST',
    '/v1/skan/postbacks',
    () => ({ body: { 'attribution-signature': 'x', 'app-id': 1, version: '4.0' } }),
  ],
  [
    'POST',
    '/v1/costs',
    () => ({
      body: {
        costs: [{ date: '2026-01-31', campaignId: 'live', cost: { amount: '2', currency: 'EUR' } }],
      },
    }),
  ],
  ['POST', '/v1/hosts/check', () => ({ path: '/v1/hosts/check' })],
  ['DELETE', '/v1/costs', () => ({ path: '/v1/costs?campaignId=live&confirm=0' })],
  ['DELETE', '/v1/costs/{id}', ({ costId }) => ({ path: `/v1/costs/${costId}` })],
  ['DELETE', '/v1/installs/{installId}', ({ installId }) => ({ path: `/v1/installs/${installId}` })],
  [
    'POST',
    '/v1/installs/deletions',
    () => ({ body: { from: '2020-01-01T00:00:00Z', to: '2090-01-01T00:00:00Z', platform: 'IOS' } }),
  ],
  ['POST', '/v1/imports', () => ({ path: '/v1/imports?source=csv', body: { links: [] } })],
  ['DELETE', '/v1/imports/{id}', ({ installId }) => ({ path: `/v1/imports/${installId}` })],
  ['POST', '/v1/privacy/erase', () => ({ body: { userId: 'live-user' } })],
  ['POST', '/v1/privacy/export', () => ({ body: { userId: 'live-user' } })],
  ['POST', '/v1/debug/attribution', () => ({ body: { fingerprint: { platform: 'IOS' } } })],
  ['POST', '/v1/sdk/install', ({ installId }) => ({ body: { installId, fingerprint: IPHONE_FINGERPRINT } })],
  [
    'POST',
    '/v1/sdk/installs',
    ({ installId }) => ({ body: { installs: [{ installId, fingerprint: IPHONE_FINGERPRINT }] } }),
  ],
  [
    'POST',
    '/v1/sdk/open',
    ({ installId }) => ({ body: { installId, userId: 'test', fingerprint: IPHONE_FINGERPRINT } }),
  ],
  [
    'POST',
    '/v1/sdk/opens',
    ({ installId }) => ({ body: { opens: [{ installId, fingerprint: IPHONE_FINGERPRINT }] } }),
  ],
  ['POST', '/v1/sdk/event', ({ installId }) => ({ body: { installId, eventName: 'test' } })],
  ['POST', '/v1/sdk/events', ({ installId }) => ({ body: { events: [{ installId, eventName: 'test' }] } })],
  ['POST', '/v1/sdk/identify', ({ installId }) => ({ body: { installId, userId: 'test' } })],
  ['POST', '/v1/sdk/resolve', ({ code }) => ({ body: { shortCode: code } })],
];

for (const engine of neutralEngines)
  describe(`what a test key changes on ${engine}`, () => {
    const world = useWorld(engine);
    liftRateLimits();
    let app: TestApp;
    let live: Records;
    before(async () => {
      app = await world.newApp();
      const androidDestination = 'https://play.google.com/store/apps/details?id=com.example';
      const { shortCode: code } = await world.newLink(app, { androidDestination });
      const from = freshAddress();
      const key = app.keys.live;
      const body = { fingerprint: IPHONE_FINGERPRINT };
      const install = await world.call('POST', '/v1/sdk/install', { key, from, body });
      const { installId } = install.body;
      await world.call('POST', '/v1/sdk/identify', { key, body: { installId, userId: 'live-user' } });
      await world.call('POST', '/v1/sdk/event', { key, body: { installId, eventName: 'live' } });
      const hook = { url: 'https://example.com/hook', secret: 'a secret' };
      const webhook = await world.call('POST', '/v1/webhooks', { key, body: hook });
      const segment = { type: 'segment', name: 'Segment', config: { writeKey: 'a-key' }, enabled: false };
      const destination = await world.call('POST', '/v1/destinations', { key, body: segment });
      const cost = { date: '2026-01-31', campaignId: 'live', cost: { amount: '1', currency: 'EUR' } };
      await world.call('POST', '/v1/costs', { key, body: { costs: [cost] } });
      const costs = await world.call('GET', '/v1/costs', { key });
      live = {
        code,
        installId,
        webhookId: webhook.body.id,
        destinationId: destination.body.id,
        costId: costs.body[0].id,
      };
    });

    const readLive = async () => {
      const read = async (path: string) => (await world.call('GET', path, { key: app.keys.live })).body;
      const all = await Promise.all([
        ...[
          '/v1/links',
          '/v1/webhooks',
          '/v1/destinations',
          '/v1/skan/conversion-values',
          '/v1/skan/postbacks',
          '/v1/costs',
        ].map(read),
        ...['/v1/clicks?visitor=all', '/v1/installs', '/v1/opens', '/v1/events'].map(read),
        read(`/v1/installs/${live.installId}`),
      ]);
      const ofLive = (value: unknown) =>
        Array.isArray(value)
          ? value.filter((one) => one.sandbox !== true && one.url !== 'https://example.com/')
          : value;
      return all.map(ofLive);
    };

    for (const [method, path, request] of CHANGES)
      it(`${method} ${path} with a test key leaves live records as they are`, async () => {
        const before = await readLive();
        const { path: to = path, body } = request(live);
        const call: Call = { key: app.keys.test, ...(body !== undefined && { body }) };
        const { status } = await world.call(method, to, call);
        assert.ok(status < 500, String(status));
        assert.deepEqual(await readLive(), before);
      });

    it('a test key reads the address of a live webhook masked, and recovery of it is 404', async () => {
      const key = app.keys.test;
      const { body } = await world.call('GET', '/v1/webhooks', { key });
      assert.equal(
        body.find(({ id }: { id: string }) => id === live.webhookId)?.url,
        'https://example.com/…',
      );
      const recovery = { key, body: { since: '2020-01-01T00:00:00Z', dryRun: true } };
      const { status } = await world.call('POST', `/v1/webhooks/${live.webhookId}/recovery`, recovery);
      assert.equal(status, 404);
    });

    it('the code of a live link filters for a test key, which reads its sandbox records alone', async () => {
      const key = app.keys.test;
      const from = freshAddress();
      const body = { fingerprint: IPHONE_FINGERPRINT, clickId: await world.clickId(live.code, { from }) };
      const { installId } = (await world.call('POST', '/v1/sdk/install', { key, body, from })).body;
      await world.call('POST', '/v1/sdk/event', { key, body: { installId, eventName: 'test' } });
      for (const [list, count] of [
        ...[['clicks', 0] as const, ['installs', 1] as const, ['opens', 0] as const, ['events', 1] as const],
      ]) {
        const answer = await world.call('GET', `/v1/${list}?shortCode=${live.code}`, { key });
        assert.deepEqual([answer.status, answer.body.length], [200, count], list);
        assert.ok(answer.body.every(({ sandbox }: { sandbox: boolean }) => sandbox));
      }
      const { totals } = (await world.call('GET', `/v1/stats?shortCode=${live.code}`, { key })).body;
      assert.deepEqual([totals.clicks, totals.installs, totals.events], [0, 1, 1]);
      const other = await world.newLink(await world.newApp());
      for (const path of ['clicks', 'installs', 'opens', 'events', 'stats', 'live'])
        for (const code of ['no-such-code', other.shortCode])
          assert.equal((await world.call('GET', `/v1/${path}?shortCode=${code}`, { key })).status, 404, path);
    });

    it('the list has every endpoint that changes something with a key', () => {
      const all = ENDPOINTS.filter(({ method }) => !['GET', 'HEAD'].includes(method)).map(
        ({ title }) => title,
      );
      const shape = (text: string) => text.replaceAll(/\{[^}]*\}|:\w+/g, '{}');
      const listed = new Set(CHANGES.map(([method, path]) => shape(`${method} ${path}`)));
      assert.deepEqual(
        all.filter((title) => !listed.has(shape(title))),
        [],
      );
    });
  });
