/** `GET /v1/stats/accuracy`: what the fingerprint would have said of installs whose click is certain. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOUR_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const ANDROID = { platform: 'ANDROID', osVersion: '16', deviceModel: 'Pixel 9', locale: 'en_US' };

for (const engine of engines)
  describe(`accuracy on ${engine}`, () => {
    const world = useWorld(engine);

    const read = async (app: TestApp, query = '', key = app.keys.live) => {
      await world.service.measure.settled();
      const { status, body, text } = await world.call('GET', `/v1/stats/accuracy${query}`, { key });
      assert.equal(status, 200, text);
      return body;
    };
    /** The counts of a platform at a threshold. */
    const at = async (app: TestApp, platform = 'IOS', threshold = 0.7, query = '') => {
      const { platforms } = await read(app, query);
      const curve = platforms.find((each: { platform: string }) => each.platform === platform);
      const { right, wrong, none, matched } = curve.thresholds.find(
        (point: { threshold: number }) => point.threshold === threshold,
      );
      return { right, wrong, none, matched, compared: curve.compared };
    };
    const NOTHING = { right: 0, wrong: 0, none: 0, matched: 0, compared: 0 };

    /** A tap with an iPhone. @returns the ID of its click. */
    const tap = async (app: TestApp, from: string, shortCode?: string) => {
      const code = shortCode ?? (await world.newLink(app)).shortCode;
      await world.tap(code, { from });
      await world.service.clickLog.applied(app.id);
      const click = await world.service.db
        .selectFrom('clicks')
        .select('id')
        .where('app_id', '=', app.id)
        .orderBy('id', 'desc')
        .executeTakeFirstOrThrow();
      return click.id;
    };
    const install = async (app: TestApp, body: object, from: string) => {
      const answer = await world.install(app, { ...body }, { from });
      assert.equal(answer.status, 200, answer.text);
      return answer.body.method as string;
    };

    it('an install with a certain click is right, wrong or none, as the fingerprint alone would have it', async () => {
      const app = await world.newApp();
      const home = freshAddress();
      assert.equal(await install(app, { clickId: await tap(app, home) }, home), 'CLICK_ID');
      assert.deepEqual(await at(app), { ...NOTHING, right: 1 });
      // The phone changed its address, and nobody tapped at the new one.
      await install(app, { clickId: await tap(app, freshAddress()) }, freshAddress());
      assert.deepEqual(await at(app), { ...NOTHING, right: 1, none: 1 });
      // Somebody with an equal phone did.
      const cafe = freshAddress();
      const mine = await tap(app, freshAddress());
      await tap(app, cafe);
      await install(app, { clickId: mine }, cafe);
      assert.deepEqual(await at(app), { ...NOTHING, right: 1, wrong: 1, none: 1 });
      assert.deepEqual(await at(app, 'ANDROID'), NOTHING);
    });

    it('two devices that fit as well rule each other out, and a second tap on the same link is right', async () => {
      const app = await world.newApp();
      const [home, office] = [freshAddress(), freshAddress()];
      const { shortCode } = await world.newLink(app);
      const first = await tap(app, home, shortCode);
      await tap(app, home, shortCode);
      await install(app, { clickId: first }, home);
      assert.deepEqual(await at(app), { ...NOTHING, right: 1 });
      const mine = await tap(app, office);
      await world.tap((await world.newLink(app)).shortCode, {
        from: office,
        headers: { 'accept-language': 'fr-FR' },
      });
      const { locale: _, ...fingerprint } = IPHONE_FINGERPRINT;
      await install(app, { clickId: mine, fingerprint }, office);
      assert.deepEqual(await at(app), { ...NOTHING, right: 1, none: 1 });
    });

    it('a Play referrer counts on Android, by itself', async () => {
      const app = await world.newApp();
      const from = freshAddress();
      const link = await world.newLink(app, {
        androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
      });
      const clickId = await world.clickId(link.shortCode, { from });
      const referrer = { installReferrer: `svc_click_id=${clickId}`, fingerprint: ANDROID };
      assert.equal(await install(app, referrer, from), 'INSTALL_REFERRER');
      const { right, none } = await at(app, 'ANDROID', 0.5);
      assert.equal(right + none, 1);
      assert.deepEqual(await at(app, 'IOS'), NOTHING);
      const { platforms } = await read(app, '?platform=ANDROID');
      assert.deepEqual(
        platforms.map((each: { platform: string; sampled: number }) => [each.platform, each.sampled]),
        [['ANDROID', 1]],
      );
    });

    it('installs without a certain click tell what another threshold would have matched', async () => {
      const app = await world.newApp();
      const [quick, late] = [freshAddress(), freshAddress()];
      await tap(app, late);
      world.clock.advance(3 * HOUR_MS);
      await tap(app, quick);
      assert.equal(await install(app, {}, quick), 'FINGERPRINT');
      assert.equal(await install(app, {}, late), 'ORGANIC');
      assert.equal(await install(app, {}, freshAddress()), 'ORGANIC');
      assert.deepEqual(await at(app), { ...NOTHING, matched: 1, compared: 3 });
      assert.deepEqual(await at(app, 'IOS', 0.5), { ...NOTHING, matched: 2, compared: 3 });
      const { threshold, platforms } = await read(app);
      assert.equal(threshold, 0.7);
      const [{ change }] = platforms[1].thresholds;
      assert.deepEqual([change.installs, change.wrong], [1, null]);
      assert.ok(change.wrongByConfidence >= 0.3 && change.wrongByConfidence <= 0.5, JSON.stringify(change));
      await world.admin('PATCH', `/apps/${app.id}`, { fingerprintThreshold: 0.5 });
      const after = await read(app);
      assert.equal(after.threshold, 0.5);
      assert.equal(after.platforms[1].thresholds[20].change.installs, -1);
    });

    it('what may not be compared is not measured: no consent, no address, sandbox, switched off', async () => {
      const app = await world.newApp();
      const off = await world.newApp({ measureAccuracy: false });
      const unmatched = await world.newApp({ fingerprintIos: false });
      const from = freshAddress();
      await install(app, { clickId: await tap(app, from), deterministicOnly: true }, from);
      await install(app, { clickId: await tap(app, from), debugBuild: true }, from);
      await install(app, { clickId: await tap(app, from), fingerprint: { platform: 'IOS' } }, from);
      await install(app, { existingUser: true }, from);
      await world.install(app, { clickId: await tap(app, from) }, { key: app.keys.live });
      await install(off, { clickId: await tap(off, from) }, from);
      await install(off, {}, from);
      await install(unmatched, { clickId: await tap(unmatched, from) }, from);
      await install(unmatched, {}, from);
      for (const each of [app, off, unmatched]) assert.deepEqual(await at(each), NOTHING);
      assert.equal((await read(off)).measureAccuracy, false);
      assert.equal((await read(app)).measureAccuracy, true);
    });

    it('a platform says whether its fingerprint is on, whatever was measured before', async () => {
      const app = await world.newApp();
      const fingerprints = async (query = '', key = app.keys.live) =>
        (await read(app, query, key)).platforms.map(
          ({ platform, fingerprint }: { platform: string; fingerprint: boolean }) => [platform, fingerprint],
        );
      assert.deepEqual(await fingerprints(), [
        ['ANDROID', true],
        ['IOS', true],
      ]);
      await world.admin('PATCH', `/apps/${app.id}`, { fingerprintIos: false });
      assert.deepEqual(await fingerprints('?platform=IOS'), [['IOS', false]]);
      assert.deepEqual(await fingerprints('', app.keys.test), [
        ['ANDROID', true],
        ['IOS', false],
      ]);
    });

    it('only the app sees its counts, by day, and a test key sees none', async () => {
      const [app, other] = [await world.newApp(), await world.newApp()];
      const from = freshAddress();
      await install(app, { clickId: await tap(app, from) }, from);
      assert.equal((await at(app)).right, 1);
      assert.deepEqual(await at(other), NOTHING);
      const ofTest = await read(app, '', app.keys.test);
      assert.equal(ofTest.platforms[1].sampled, 0);
      assert.deepEqual(await at(app, 'IOS', 0.7, '?to=2026-01-31'), NOTHING);
      for (const query of ['?from=2026-02-30', '?platform=WEB', '?threshold=0.5']) {
        const { status } = await world.call('GET', `/v1/stats/accuracy${query}`, { key: app.keys.live });
        assert.equal(status, 400, query);
      }
      const publishable = { key: app.keys.live_publishable };
      assert.equal((await world.call('GET', '/v1/stats/accuracy', publishable)).status, 401);
    });
  });
