/** Authentication: the endpoints and records that each of the four kinds of key can use. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { ENDPOINTS, emptyBody } from '../../helpers/endpoints.ts';
import { engines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import { RECEIVER_ENV, useReceiver } from '../../helpers/webhook-receiver.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`kinds of key on ${engine}`, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    let app: TestApp;
    before(async () => {
      app = await world.newApp();
    });

    // Endpoints that require a live key are in authentication.test.ts, rule 5.
    for (const endpoint of ENDPOINTS.filter((one) => one.opensWith !== 'live')) {
      const { method, path, title, opensWith } = endpoint;
      const call = (kind: keyof TestApp['keys']) =>
        world.call(method, path, { key: app.keys[kind], body: emptyBody(endpoint) });

      if (opensWith === 'sdk')
        it(`a publishable key and a secret key may call ${title}`, async () => {
          for (const kind of ['live', 'test', 'live_publishable', 'test_publishable'] as const)
            assert.equal((await call(kind)).status, 400);
        });
      else if (opensWith === 'test')
        it(`test keys may call ${title}, publishable or secret, and the error of a live key asks for one`, async () => {
          for (const kind of ['test', 'test_publishable'] as const)
            assertError(await call(kind), 404, 'install.not_found');
          for (const kind of ['live', 'live_publishable'] as const)
            assertError(await call(kind), 401, 'key.wrong_kind', /test key .*svc_test_…/);
        });
      else
        it(`a publishable key may not call ${title}, and the error names the required kind`, async () => {
          for (const kind of ['live_publishable', 'test_publishable'] as const)
            assertError(await call(kind), 401, 'key.wrong_kind', /svc_live_… or svc_test_…/);
        });
    }

    it('links that a test key creates have sandbox true by default', async () => {
      const create = async (key: string, fields: object) =>
        (await world.call('POST', '/v1/links', { key, body: { deepLinkPath: '/', ...fields } })).body.sandbox;
      assert.equal(await create(app.keys.test, {}), true);
      assert.equal(await create(app.keys.live, {}), false);
      assert.equal(await create(app.keys.live, { sandbox: true }), true);
    });

    it('a test key makes no link live: sandbox false is 400, on creation and by PATCH', async () => {
      const link = await world.newLink(app, {}, app.keys.test);
      const path = `/v1/links/${link.shortCode}`;
      const refused = { key: app.keys.test, body: { deepLinkPath: '/live', sandbox: false } };
      assertError(
        await world.call('POST', '/v1/links', refused),
        400,
        'request.invalid',
        /sandbox.*live key/,
      );
      assertError(await world.call('PATCH', path, refused), 400, 'request.invalid', /sandbox.*live key/);
      assert.deepEqual((await world.call('GET', path, { key: app.keys.test })).body, link);
      const byLiveKey = { ...refused, key: app.keys.live };
      assert.equal((await world.call('PATCH', path, byLiveKey)).body.sandbox, false);
    });

    it('PATCH with sandbox null sets the default of the key: true for a test key, false for a live one', async () => {
      const { shortCode } = await world.newLink(app, { sandbox: true });
      const clear = async (key: string) =>
        (await world.call('PATCH', `/v1/links/${shortCode}`, { key, body: { sandbox: null } })).body.sandbox;
      assert.equal(await clear(app.keys.test), true);
      assert.equal(await clear(app.keys.live), false);
    });

    for (const method of ['GET', 'PATCH', 'DELETE'] as const)
      it(`a live link gets 404 with a test key: ${method}`, async () => {
        const link = await world.newLink(app);
        const path = `/v1/links/${link.shortCode}`;
        const body = method === 'PATCH' ? { deepLinkPath: '/changed' } : undefined;
        assertError(await world.call(method, path, { key: app.keys.test, body }), 404, 'link.not_found');
        assert.deepEqual((await world.call('GET', path, { key: app.keys.live })).body, link);
      });

    it('a test key lists sandbox links only, a live key all', async () => {
      const app = await world.newApp();
      const live = await world.newLink(app);
      const sandbox = await world.newLink(app, {}, app.keys.test);
      const list = async (key: string) => (await world.call('GET', '/v1/links', { key })).body;
      assert.deepEqual(await list(app.keys.test), [sandbox]);
      assert.deepEqual(await list(app.keys.live), [sandbox, live]);
    });

    it('a test key reads, changes and deletes a sandbox link that a live key created', async () => {
      const { shortCode } = await world.newLink(app, { sandbox: true });
      const path = `/v1/links/${shortCode}`;
      const key = app.keys.test;
      assert.equal((await world.call('GET', path, { key })).status, 200);
      assert.equal((await world.call('PATCH', path, { key, body: { campaignId: 'c' } })).status, 200);
      assert.equal((await world.call('DELETE', path, { key })).status, 204);
    });

    it('SDK calls with either test key count as debug builds and claim sandbox clicks; debug builds claim live clicks too', async () => {
      const methodWith = async (key: string, sandbox: boolean) => {
        const { shortCode } = await world.newLink(app, { ...PLAY, sandbox });
        const clickId = await world.clickId(shortCode, { from: freshAddress() });
        return (await world.install(app, { clickId }, { key, from: freshAddress() })).body.method;
      };
      for (const key of [app.keys.test, app.keys.test_publishable]) {
        assert.equal(await methodWith(key, true), 'CLICK_ID');
        assert.equal(await methodWith(key, false), 'CLICK_ID');
      }
      for (const key of [app.keys.live, app.keys.live_publishable]) {
        assert.equal(await methodWith(key, true), 'ORGANIC');
        assert.equal(await methodWith(key, false), 'CLICK_ID');
      }
    });

    it('events and identify of a live install get 404 with a test key', async () => {
      const app = await world.newApp();
      const { installId } = (await world.install(app, { fingerprint: IPHONE_FINGERPRINT })).body;
      for (const key of [app.keys.test, app.keys.test_publishable]) {
        const event = { key, body: { installId, eventName: 'purchase' } };
        assertError(await world.call('POST', '/v1/sdk/event', event), 404, 'install.not_found');
        const identify = { key, body: { installId, userId: 'u1' } };
        assertError(await world.call('POST', '/v1/sdk/identify', identify), 404, 'install.not_found');
        const batch = { key, body: { events: [event.body] } };
        const { status, body } = await world.call('POST', '/v1/sdk/events', batch);
        assert.deepEqual([status, body.results[0].status], [200, 404]);
      }
      const recorded = await world.service.db
        .selectFrom('events')
        .select('id')
        .where('app_id', '=', app.id)
        .execute();
      assert.deepEqual(recorded, []);
    });

    it('a webhook created with a test key receives sandbox events only, one created with a live key both', async () => {
      const app = await world.newApp();
      const create = async (key: string) => {
        const hook = receiver.newHook();
        const { status } = await world.call('POST', '/v1/webhooks', {
          key,
          body: { url: hook.url, secret: 'a secret', events: ['install.organic'] },
        });
        assert.equal(status, 201);
        return hook;
      };
      const [both, sandboxOnly] = [await create(app.keys.live), await create(app.keys.test)];
      await world.install(app, {}, { from: freshAddress() });
      await both.arrived(1);
      const { installId } = (await world.install(app, {}, { key: app.keys.test_publishable })).body;
      await both.arrived(2);
      const [delivered] = await sandboxOnly.arrived(1);
      assert.match(String(delivered?.raw), new RegExp(installId));
      assert.equal(delivered?.headers['x-service-sandbox'], 'true');
      assert.equal(sandboxOnly.received.length, 1);
    });

    it('the same idempotency key creates a webhook for each mode', async () => {
      const app = await world.newApp();
      const create = async (key: string) => {
        const headers = { 'idempotency-key': 'one' };
        const body = { url: 'https://example.com/hook', secret: 'a secret' };
        return (await world.call('POST', '/v1/webhooks', { key, headers, body })).body.id;
      };
      assert.notEqual(await create(app.keys.live), await create(app.keys.test));
    });

    it('records created with a test key are sandbox data', async () => {
      const app = await world.newApp();
      const { installId } = (await world.install(app, {}, { key: app.keys.test_publishable })).body;
      const event = { key: app.keys.test, body: { installId, eventName: 'purchase' } };
      assert.equal((await world.call('POST', '/v1/sdk/event', event)).status, 201);
      const { db } = world.service;
      const sandboxOf = async (table: 'installs' | 'events') =>
        (await db.selectFrom(table).select('sandbox').where('app_id', '=', app.id).executeTakeFirstOrThrow())
          .sandbox;
      assert.deepEqual([await sandboxOf('installs'), await sandboxOf('events')], [1, 1]);
    });
  });
