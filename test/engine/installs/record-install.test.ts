import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { DESKTOP, freshAddress, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

const PLAY = { androidDestination: 'https://play.google.com/store/apps/details?id=com.example' };

for (const engine of engines)
  describe(`installs on ${engine}`, () => {
    const world = useWorld(engine);

    it('an install with the Play referrer is attributed to the click in it', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, {
        ...PLAY,
        campaignId: 'spring',
        metadata: { a: 1 },
        deepLinkParams: { id: 7 },
      });
      const clickId = await world.clickId(link.shortCode);
      const { status, body } = await world.install(app, {
        fingerprint: { platform: 'android' },
        installReferrer: `utm_source=x&svc_click_id=${clickId}`,
      });
      assert.equal(status, 200);
      assert.deepEqual(body, {
        attributed: true,
        method: 'INSTALL_REFERRER',
        installId: body.installId,
        clickId,
        campaignId: 'spring',
        confidence: null,
        deepLinkPayload: { deepLinkPath: '/welcome', deepLinkParams: { id: 7 }, isDeferred: true },
        metadata: { a: 1 },
      });
    });

    it('an install gets the current payload of its link, or the last one of a deleted link', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, PLAY);
      const payload = async () => {
        const installReferrer = `svc_click_id=${await world.clickId(shortCode)}`;
        return (await world.install(app, { installReferrer })).body.deepLinkPayload;
      };
      const { isDeferred, deepLinkParams } = await payload();
      const clickId = await world.clickId(shortCode);
      const manage = { key: app.keys.live, body: { deepLinkPath: '/new' } };
      await world.call('PATCH', `/v1/links/${shortCode}`, manage);
      const changed = { deepLinkPath: '/new', deepLinkParams, isDeferred };
      assert.deepEqual(await payload(), changed);
      await world.call('DELETE', `/v1/links/${shortCode}`, { key: app.keys.live });
      assert.deepEqual((await world.install(app, { clickId })).body.deepLinkPayload, changed);
    });

    it('a doubly encoded referrer is decoded', async () => {
      const app = await world.newApp();
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const { body } = await world.install(app, {
        installReferrer: encodeURIComponent(`svc_click_id=${clickId}`),
      });
      assert.equal(body.method, 'INSTALL_REFERRER');
    });

    it('impossible screen sizes and a density in dots per inch are accepted', async () => {
      const app = await world.newApp();
      for (const screen of [
        { screenWidth: 1080, screenHeight: 2340, screenDensity: 420 },
        { screenWidth: 1079.5, screenHeight: 2340, screenDensity: 2.625 },
        { screenWidth: -1, screenHeight: 0, screenDensity: -1 },
      ]) {
        const fingerprint = { ...IPHONE_FINGERPRINT, ...screen };
        assert.equal((await world.install(app, { fingerprint }, { from: freshAddress() })).status, 200);
      }
    });

    it('a click ID from the SDK matches in any letter case', async () => {
      const app = await world.newApp();
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const { body } = await world.install(app, { clickId: clickId.toUpperCase() });
      assert.equal(body.method, 'CLICK_ID');
      assert.equal(body.clickId, clickId);
    });

    it('a click is claimed by one install only', async () => {
      const app = await world.newApp();
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode);
      const answers = await Promise.all(
        Array.from({ length: 8 }, () => world.install(app, { clickId }, { from: freshAddress() })),
      );
      assert.equal(answers.filter(({ body }) => body.method === 'CLICK_ID').length, 1);
      assert.equal(answers.filter(({ body }) => body.method === 'ORGANIC').length, 7);
    });

    it('a retry with the same installId records no second install and gets the first response', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const clickId = await world.clickId(link.shortCode);
      const body = { clickId, installId: randomUUID() };
      const [first, second] = await Promise.all([world.install(app, body), world.install(app, body)]);
      await world.call('PATCH', `/v1/links/${link.shortCode}`, {
        key: app.keys.live,
        body: { deepLinkPath: '/new' },
      });
      const third = await world.install(app, body);
      assert.deepEqual([second.body, third.body], [first.body, first.body]);
      assert.equal(first.body.installId, body.installId);
      const { db } = world.service;
      assert.equal(
        (await db.selectFrom('installs').selectAll().where('app_id', '=', app.id).execute()).length,
        1,
      );
    });

    it('an unknown, foreign or malformed click ID matches nothing, and the trace has the reason', async () => {
      const app = await world.newApp();
      const other = await world.newApp();
      const foreign = await world.clickId((await world.newLink(other, PLAY)).shortCode, {
        from: freshAddress(),
      });
      for (const clickId of [randomUUID(), foreign, 'not-a-uuid']) {
        const { body } = await world.install(app, { clickId }, { from: freshAddress() });
        assert.equal(body.method, 'ORGANIC');
        const { db } = world.service;
        const query = db
          .selectFrom('installs')
          .select('trace')
          .where('app_id', '=', app.id)
          .where('id', '=', body.installId);
        const { trace } = await query.executeTakeFirstOrThrow();
        const rejection =
          clickId === 'not-a-uuid' ? { clickId: null, reason: 'malformed' } : { clickId, reason: 'unknown' };
        assert.deepEqual(JSON.parse(trace).rejections, [{ method: 'CLICK_ID', ...rejection }]);
      }
    });

    it('a click older than the window is not claimed', async () => {
      const app = await world.newApp({ clickIdWindowHours: 24 });
      const clickId = await world.clickId((await world.newLink(app, PLAY)).shortCode, {
        from: freshAddress(),
      });
      world.clock.advance(25 * HOUR_MS);
      assert.equal((await world.install(app, { clickId })).body.method, 'ORGANIC');
      assert.equal(
        (await world.install(app, { installReferrer: `svc_click_id=${clickId}` })).body.method,
        'INSTALL_REFERRER',
      );
      world.clock.advance(7 * DAY_MS);
    });

    it('a sandbox link’s click is claimed by debug builds only', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, { ...PLAY, sandbox: true });
      const clickId = await world.clickId(link.shortCode, { from: freshAddress() });
      const from = freshAddress();
      assert.equal((await world.install(app, { clickId }, { from })).body.method, 'ORGANIC');
      assert.equal(
        (await world.install(app, { clickId }, { from, key: app.keys.test_publishable })).body.method,
        'CLICK_ID',
      );
      const second = await world.clickId(link.shortCode, { from: freshAddress() });
      assert.equal(
        (await world.install(app, { clickId: second, debugBuild: true }, { from })).body.method,
        'CLICK_ID',
      );
    });

    it('an iPhone is matched by its fingerprint, with the link’s payload and a confidence', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, {
        campaignId: 'tv',
        iosDestination: 'https://apps.apple.com/app/id1',
      });
      const from = freshAddress();
      await world.tap(link.shortCode, { from });
      const { body } = await world.install(app, {}, { from });
      assert.equal(body.method, 'FINGERPRINT');
      assert.equal(body.campaignId, 'tv');
      assert.match(body.confidence, /^0\.\d+$/);
    });

    it('two identical phones behind one address are ambiguous', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app);
      const from = freshAddress();
      // The two phones differ only in a signal that the install omits.
      const { locale: _, ...fingerprint } = IPHONE_FINGERPRINT;
      await world.tap(link.shortCode, { from, headers: { 'accept-language': 'en-US' } });
      await world.tap(link.shortCode, { from, headers: { 'accept-language': 'fr-FR' } });
      assert.equal((await world.install(app, { fingerprint }, { from })).body.method, 'ORGANIC');
    });

    it('after an install only later taps of the phone can match', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app);
      const from = freshAddress();
      for (let tap = 0; tap < 2; tap++) await world.tap(link.shortCode, { from });
      assert.equal((await world.install(app, {}, { from })).body.method, 'FINGERPRINT');
      assert.equal((await world.install(app, {}, { from })).body.method, 'ORGANIC');
      world.clock.advance(1_000);
      await world.tap(link.shortCode, { from });
      assert.equal((await world.install(app, {}, { from })).body.method, 'FINGERPRINT');
    });

    it('no phone is matched behind an address with hundreds of clicks', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app);
      const from = freshAddress();
      await Promise.all(
        Array.from({ length: 500 }, () => world.tap(link.shortCode, { from, userAgent: DESKTOP })),
      );
      await world.tap(link.shortCode, { from });
      assert.equal((await world.install(app, {}, { from })).body.method, 'ORGANIC');
    });

    it('an address alone does not match, and neither does another phone behind it', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app);
      const from = freshAddress();
      await world.tap(link.shortCode, { from });
      assert.equal(
        (await world.install(app, { fingerprint: { platform: 'IOS' } }, { from })).body.method,
        'ORGANIC',
      );
      const older = { ...IPHONE_FINGERPRINT, osVersion: '16.1' };
      assert.equal((await world.install(app, { fingerprint: older }, { from })).body.method, 'ORGANIC');
    });

    it('publishable keys use the connection’s address, secret keys the fingerprint’s', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app);
      const victim = freshAddress();
      await world.tap(link.shortCode, { from: victim });
      const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: victim };
      const forged = await world.install(app, { fingerprint }, { from: freshAddress() });
      assert.equal(forged.body.method, 'ORGANIC');
      const server = await world.install(app, { fingerprint }, { from: freshAddress(), key: app.keys.live });
      assert.equal(server.body.method, 'FINGERPRINT');
    });

    it('a click ID that came back claims its click, whatever kind of visitor it looked like', async () => {
      const app = await world.newApp();
      const link = await world.newLink(app, PLAY);
      const kinds = [
        { userAgent: 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)' },
        { userAgent: 'WhatsApp/2.23.20.0' },
        { headers: { 'sec-purpose': 'prefetch' } },
        { headers: { 'sec-fetch-dest': 'image', 'sec-fetch-mode': 'no-cors' } },
        { method: 'HEAD' as const },
        { userAgent: 'curl/8.5.0' },
      ];
      for (const hit of kinds) await world.tap(link.shortCode, { from: freshAddress(), ...hit });
      await world.service.clickLog.applied();
      const { db } = world.service;
      const query = db
        .selectFrom('clicks')
        .select(['id', 'visitor'])
        .where('app_id', '=', app.id)
        .orderBy('id');
      const clicks = await query.execute();
      assert.deepEqual(
        clicks.map(({ visitor }) => visitor),
        ['crawler', 'preview', 'prefetch', 'embedded', 'head', 'tool'],
      );
      for (const [index, { id, visitor }] of clicks.entries()) {
        const named = index % 2 === 0 ? { clickId: id } : { installReferrer: `svc_click_id=${id}` };
        const { body } = await world.install(app, named, { from: freshAddress() });
        assert.deepEqual([body.attributed, body.clickId], [true, id], visitor);
      }
    });
  });
