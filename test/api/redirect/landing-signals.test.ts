/** Device signals of the landing page are stored with the click of that page only. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { openPage, SIGNALS, STORES } from '../../helpers/landing-scene.ts';
import { queryStored } from '../../helpers/stored.ts';
import { freshAddress, IPHONE_FINGERPRINT, type TestApp, useWorld } from '../../helpers/world.ts';

const LATE_MS = 61_000;

for (const engine of engines)
  describe(`signals of the landing page on ${engine}`, () => {
    const world = useWorld(engine);

    async function scene(fields: object = STORES) {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { ...fields });
      const page = await openPage(world, shortCode);
      return { app, shortCode, page, named: { clickId: page.data.click, proof: page.data.proof } };
    }

    const send = (shortCode: string, body: object, headers = {}) =>
      world.call('POST', `/l/${shortCode}/signals`, { body, from: freshAddress(), headers });

    async function stored(app: TestApp) {
      await world.service.clickLog.applied();
      const rows = await queryStored(
        world.place,
        `select fingerprint, device_model, signals_at from clicks where app_id = '${app.id}' order by id`,
      );
      return rows.map(({ fingerprint, device_model, signals_at }) => ({
        page: typeof fingerprint === 'string' ? JSON.parse(fingerprint) : fingerprint,
        model: device_model,
        isDescribed: signals_at !== null,
      }));
    }

    const NOTHING = { page: null, model: null, isDescribed: false };

    it('describe the click', async () => {
      const { app, shortCode, named } = await scene();
      const hints = { model: 'Pixel 9', platformVersion: '16.0.0' };
      const { status, text } = await send(shortCode, { ...named, ...SIGNALS, ...hints });
      assert.equal(status, 204, text);
      const page = { ...SIGNALS, platformVersion: '16.0.0' };
      assert.deepEqual(await stored(app), [{ page, model: 'Pixel 9', isDescribed: true }]);
    });

    it('ignore unknown fields', async () => {
      const { app, shortCode, named } = await scene();
      const more = { email: 'kim@example.com', constructor: { name: 'Kim' }, ip_hash: 'x' };
      const { status, text } = await send(shortCode, { ...named, ...SIGNALS, ...more });
      assert.equal(status, 204, text);
      assert.deepEqual(await stored(app), [{ page: SIGNALS, model: null, isDescribed: true }]);
    });

    it('take at most 1 KiB of a click, whatever texts they have', async () => {
      for (const text of ['\u0001', '"', '\\', '語', '😀']) {
        const { app, shortCode, named } = await scene();
        const long = (characters: number) => text.repeat(characters / text.length);
        const languages = Array.from({ length: 9 }, () => long(34));
        const texts = { timezone: long(64), platformVersion: long(64), model: long(64), languages };
        const { status, text: answer } = await send(shortCode, { ...named, ...SIGNALS, ...texts });
        assert.equal(status, 204, answer);
        const [click] = await stored(app);
        assert.ok(click?.isDescribed);
        assert.ok(Buffer.byteLength(JSON.stringify(click.page)) <= 1_024, JSON.stringify(click.page));
        assert.doesNotMatch(String(click.model), /\p{Cc}/u);
      }
    });

    it('distinguish two phones behind one address', async () => {
      const { app, shortCode, page: first, named } = await scene();
      const second = await openPage(world, shortCode, { from: first.from });
      await send(shortCode, { ...named, ...SIGNALS });
      const other = { clickId: second.data.click, proof: second.data.proof };
      const inNewYork = { timezone: 'America/New_York', languages: ['en-US'] };
      await send(shortCode, { ...other, ...SIGNALS, ...inNewYork });
      const screen = { screenWidth: 1179, screenHeight: 2556, screenDensity: 3 };
      const fingerprint = { ...IPHONE_FINGERPRINT, ...screen, timezone: 'America/New_York' };
      const { body } = await world.install(app, { fingerprint }, { from: first.from });
      assert.deepEqual([body.method, body.clickId], ['FINGERPRINT', second.data.click]);
    });

    it('tell iPads and iPhones that ask for desktop pages from Macs, and Android tablets from laptops', async () => {
      const MAC =
        'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
      const LINUX =
        'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
      const apple = (
        deviceModel: string,
        screenWidth: number,
        screenHeight: number,
        screenDensity: number,
      ) => ({
        ...{ platform: 'IOS', osVersion: '18.5', deviceModel, screenWidth, screenHeight, screenDensity },
        ...{ locale: 'de_DE', timezone: 'Europe/Berlin' },
      });
      const ipad = apple('iPad14,6', 2048, 2732, 2);
      const iphone = apple('iPhone15,2', 1179, 2556, 3);
      const tablet = {
        ...{ platform: 'ANDROID', osVersion: '15', deviceModel: 'SM-X710', locale: 'de_DE' },
        ...{ screenWidth: 1600, screenHeight: 2560, screenDensity: 2, timezone: 'Europe/Berlin' },
      };
      const wide = { screenWidth: 1024, screenHeight: 1366, pixelRatio: 2 };
      const android = { screenWidth: 800, screenHeight: 1280, pixelRatio: 2, maxTouchPoints: 5 };
      for (const [userAgent, signals, fingerprint, method] of [
        [MAC, { screenWidth: 1512, screenHeight: 982, pixelRatio: 2 }, ipad, 'ORGANIC'],
        [MAC, { ...wide, maxTouchPoints: 0 }, ipad, 'ORGANIC'],
        [MAC, { ...wide, maxTouchPoints: 5 }, ipad, 'FINGERPRINT'],
        [MAC, { ...wide, maxTouchPoints: 5 }, iphone, 'ORGANIC'],
        [MAC, { maxTouchPoints: 5 }, iphone, 'FINGERPRINT'],
        [LINUX, { ...android, coarsePointer: true }, tablet, 'FINGERPRINT'],
        [LINUX, { ...android, coarsePointer: false }, tablet, 'ORGANIC'],
      ] as const) {
        const app = await world.newApp();
        const { shortCode } = await world.newLink(app, STORES);
        const page = await openPage(world, shortCode, { userAgent });
        const named = { clickId: page.data.click, proof: page.data.proof };
        const { status, text } = await send(shortCode, { ...named, ...SIGNALS, ...signals });
        assert.equal(status, 204, text);
        const { body } = await world.install(app, { fingerprint }, { from: page.from });
        assert.equal(body.method, method, JSON.stringify([userAgent, signals, fingerprint.deviceModel]));
      }
    });

    it('are accepted once', async () => {
      const { app, shortCode, named } = await scene();
      assert.equal((await send(shortCode, { ...named, ...SIGNALS })).status, 204);
      const again = await send(shortCode, { ...named, ...SIGNALS, timezone: 'Asia/Tokyo' });
      assert.deepEqual([again.status, again.headers['x-service-error']], [409, 'signals.settled']);
      assert.deepEqual(await stored(app), [{ page: SIGNALS, model: null, isDescribed: true }]);
    });

    it('are rejected with the proof of another click or through another link', async () => {
      const { app, shortCode, page, named } = await scene();
      const other = await openPage(world, shortCode);
      const elsewhere = await world.newLink(app, STORES);
      const refused = [
        await send(shortCode, { ...named, proof: other.data.proof, ...SIGNALS }),
        await send(shortCode, { ...named, proof: `${'A'.repeat(22)}`, ...SIGNALS }),
        await send(elsewhere.shortCode, { ...named, ...SIGNALS }),
      ];
      for (const { status, headers } of refused)
        assert.deepEqual([status, headers['x-service-error']], [403, 'signals.refused']);
      assert.equal((await send('nobody-has-this', { ...named, ...SIGNALS })).status, 404);
      assert.notEqual(page.data.click, other.data.click);
      assert.deepEqual(await stored(app), [NOTHING, NOTHING]);
    });

    it('are rejected after a minute', async () => {
      const { app, shortCode, named } = await scene();
      world.clock.advance(LATE_MS);
      const { status, headers } = await send(shortCode, { ...named, ...SIGNALS });
      assert.deepEqual([status, headers['x-service-error']], [410, 'signals.late']);
      assert.deepEqual(await stored(app), [NOTHING]);
    });

    it('are rejected for a claimed click', async () => {
      const { app, shortCode, page, named } = await scene();
      const { body } = await world.install(app, { clickId: page.data.click }, { from: page.from });
      assert.equal(body.method, 'CLICK_ID');
      const { status, headers } = await send(shortCode, { ...named, ...SIGNALS });
      assert.deepEqual([status, headers['x-service-error']], [409, 'signals.settled']);
      assert.deepEqual(await stored(app), [NOTHING]);
    });

    it('do not restore erased data', async () => {
      const { app, shortCode, page, named } = await scene();
      await stored(app);
      const erase = { key: app.keys.live, body: { ipAddress: page.from } };
      const { requestIds } = (await world.call('POST', '/v1/privacy/erase', erase)).body;
      const path = `/v1/privacy/erase/${requestIds[0]}`;
      while ((await world.call('GET', path, { key: app.keys.live })).body.status !== 'completed')
        await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal((await send(shortCode, { ...named, ...SIGNALS })).status, 409);
      assert.deepEqual(await stored(app), [NOTHING]);
    });

    for (const [what, wrong] of Object.entries({
      'a screen without width': { screenWidth: 0 },
      'a screen of a million pixels': { screenHeight: 1_000_000 },
      'a pixel ratio of a thousand': { pixelRatio: 1_000 },
      'a screen width as text': { screenWidth: 'wide' },
      'a hundred languages': { languages: Array.from({ length: 100 }, () => 'de') },
      'a time zone of 2,000 characters': { timezone: 'x'.repeat(2_000) },
      'no proof': { proof: undefined },
      'an invalid click ID': { clickId: 'none' },
    }))
      it(`with ${what} are rejected, and the click is unchanged`, async () => {
        const { app, shortCode, named } = await scene();
        assert.equal((await send(shortCode, { ...named, ...SIGNALS, ...wrong })).status, 400);
        assert.deepEqual(await stored(app), [NOTHING]);
      });

    it('of a megabyte are rejected, and the click is unchanged', async () => {
      const { app, shortCode, named } = await scene();
      const { status } = await send(shortCode, { ...named, ...SIGNALS, more: 'x'.repeat(1024 * 1024) });
      assert.equal(status, 413);
      assert.deepEqual(await stored(app), [NOTHING]);
    });
  });
