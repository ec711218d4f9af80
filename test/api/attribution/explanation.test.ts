/** SDK endpoints: GET /v1/sdk/installs/{installId}/explanation. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { assertError } from '../../helpers/shapes.ts';
import {
  freshAddress,
  IPHONE,
  IPHONE_FINGERPRINT,
  PIXEL,
  type TestApp,
  useWorld,
} from '../../helpers/world.ts';

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/gi;
const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of neutralEngines)
  describe(`SDK endpoints, explanation, on ${engine}`, () => {
    const world = useWorld(engine);

    const explain = (app: TestApp, installId: string, key = app.keys.test_publishable) =>
      world.call('GET', `/v1/sdk/installs/${installId}/explanation`, { key });
    const install = async (app: TestApp, body: object, from = freshAddress()) =>
      (await world.install(app, { ...body }, { key: app.keys.test_publishable, from })).body;
    const clicksOf = async (app: TestApp) => {
      await world.service.clickLog.applied();
      const { db } = world.service;
      return await db.selectFrom('clicks').select('id').where('app_id', '=', app.id).execute();
    };

    it('a test key, publishable or secret, gets the decision, its reason and its trace', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const { shortCode } = await world.newLink(app, { campaignId: 'spring' });
      await world.tap(shortCode, { from, userAgent: IPHONE });
      const { installId, confidence } = await install(app, {}, from);
      const { explanation } = (await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live }))
        .body;
      for (const key of [app.keys.test_publishable, app.keys.test]) {
        const { status, body } = await explain(app, installId.toUpperCase(), key);
        assert.equal(status, 200);
        const { reason, ...rest } = body;
        assert.deepEqual(rest, {
          ...{ installId, method: 'FINGERPRINT', confidence, campaignId: 'spring', shortCode },
          ...{ network: null, explanation },
        });
        assert.match(reason, /^1 click from this network address .* where 0\.7 is needed: /);
      }
    });

    it('an install without a click has the reason, and no campaign or link', async () => {
      const app = await world.newApp();
      const { installId } = await install(app, { installReferrer: 'utm_source=google-play' });
      const { body } = await explain(app, installId);
      const { method, confidence, campaignId, shortCode, reason } = body;
      assert.deepEqual([method, confidence, campaignId, shortCode], ['ORGANIC', null, null, null]);
      assert.equal(
        reason,
        'The Play referrer names no click. There is no click from this network address in the last 24 hours.',
      );
      const read = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.test });
      assert.equal(read.body.reason, reason);
    });

    it('only the ID of the claimed click is whole: with another one its click could be claimed', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const { shortCode } = await world.newLink(app, PLAY);
      for (const userAgent of [IPHONE, IPHONE.replaceAll('17_5_1', '18_5'), PIXEL])
        await world.tap(shortCode, { from, userAgent });
      const named = await world.clickId(shortCode);
      await install(app, { clickId: named });
      const { installId, clickId, method } = await install(app, { clickId: named }, from);
      assert.equal(method, 'FINGERPRINT');

      const all = await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.live });
      const others = (await clicksOf(app)).map(({ id }) => id).filter((id) => id !== clickId);
      assert.equal(others.length, 3);
      for (const id of others) assert.ok(all.text.includes(id), 'the trace lacks a click');

      const { body, text } = await explain(app, installId);
      assert.deepEqual(new Set(text.match(UUID)), new Set([installId, clickId]));
      for (const id of others) assert.ok(text.includes(`"${id.slice(0, 13)}…"`));
      assert.deepEqual(
        { ...body.explanation, rejections: null, fingerprint: null },
        { ...all.body.explanation, rejections: null, fingerprint: null },
      );
    });

    it('no click ID of an install without a click is whole', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const clickId = await world.clickId(shortCode);
      await install(app, { clickId });
      const { installId } = await install(app, { clickId, deterministicOnly: true });
      const { text, body } = await explain(app, installId);
      assert.deepEqual(text.match(UUID), [installId]);
      assert.equal(
        body.reason,
        'The click ID that the app sent is already claimed by another install or open. The app allowed deterministic matching only, so no device signals were compared.',
      );
    });

    it('an unknown install, another app’s and a live one get 404', async () => {
      const app = await world.newApp();
      const live = (await world.install(app)).body.installId;
      const foreign = (await install(await world.newApp(), {})).installId;
      for (const installId of [live, foreign, randomUUID(), 'no-id'])
        assertError(await explain(app, installId), 404, 'install.not_found');
      const debugBuild = (await world.install(app, { debugBuild: true, fingerprint: IPHONE_FINGERPRINT }))
        .body;
      assert.equal((await explain(app, debugBuild.installId)).status, 200);
    });

    it('opens have a reason in GET /v1/installs/{installId}', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app);
      const { installId } = await install(app, {});
      const open = { installId, fingerprint: IPHONE_FINGERPRINT };
      for (const [path, body] of [
        ['open', { ...open, deterministicOnly: true }],
        ['resolve', { ...open, shortCode, openId: randomUUID() }],
      ] as const)
        await world.call('POST', `/v1/sdk/${path}`, { key: app.keys.test, body });
      const { opens } = (await world.call('GET', `/v1/installs/${installId}`, { key: app.keys.test })).body;
      assert.deepEqual(opens.map(({ reason }: { reason: string }) => reason).sort(), [
        'The app sent no click ID. The app allowed deterministic matching only, so no device signals were compared.',
        'The link itself opened the app, so no click was needed.',
      ]);
    });
  });
