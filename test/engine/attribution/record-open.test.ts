import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`opens on ${engine}`, () => {
    const world = useWorld(engine);
    const open = (
      app: TestApp,
      body: Record<string, unknown> = {},
      { from = '198.51.100.1', key = app.keys.live_publishable } = {},
    ) =>
      world.call('POST', '/v1/sdk/open', { key, from, body: { fingerprint: IPHONE_FINGERPRINT, ...body } });

    it('an open by click ID gets the deferred payload and an id', async () => {
      const app = await world.newApp();
      const clickId = await world.clickId(
        (await world.newLink(app, { ...PLAY, deepLinkParams: { a: 1 } })).shortCode,
      );
      const { status, body } = await open(app, { clickId, userId: 'u-1' });
      assert.equal(status, 200);
      assert.equal(body.method, 'CLICK_ID');
      assert.deepEqual(body.deepLinkPayload, {
        deepLinkPath: '/welcome',
        deepLinkParams: { a: 1 },
        isDeferred: true,
      });
      assert.equal(body.installId, null);
      const { db } = world.service;
      const row = await db
        .selectFrom('opens')
        .selectAll()
        .where('app_id', '=', app.id)
        .executeTakeFirstOrThrow();
      assert.deepEqual([row.id, row.user_id, row.click_id], [body.openId, 'u-1', clickId]);
    });

    it('a click is claimed by one install and by one open', async () => {
      const app = await world.newApp();
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const installed = await world.install(app, { clickId });
      const opened = await open(app, { clickId, installId: installed.body.installId });
      assert.deepEqual([installed.body.method, opened.body.method], ['CLICK_ID', 'CLICK_ID']);
      assert.equal(opened.body.installId, installed.body.installId);
      assert.equal((await open(app, { clickId }, { from: freshAddress() })).body.method, 'ORGANIC');
    });

    it('a retry with the same openId gets the first response, even concurrently', async () => {
      const app = await world.newApp();
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const body = { clickId, openId: randomUUID() };
      const [first, second] = await Promise.all([open(app, body), open(app, body)]);
      assert.deepEqual(second.body, first.body);
      assert.deepEqual((await open(app, body)).body, first.body);
    });

    it('an open is matched by fingerprint', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      await world.tap((await world.newLink(app)).shortCode, { from });
      const { body } = await open(app, {}, { from });
      assert.equal(body.method, 'FINGERPRINT');
      assert.match(body.confidence, /^0\.\d+$/);
    });
  });
