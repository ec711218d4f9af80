/** The landing page in a real browser: its signals, its targets and its requests. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Device, type Page, type Setting, useBrowser } from '../helpers/browser.ts';
import { engines } from '../helpers/engines.ts';
import { STORES } from '../helpers/landing-scene.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { freshAddress, type TestApp, useWorld } from '../helpers/world.ts';

const { iosDestination: APP_STORE, androidDestination: PLAY } = STORES;
const APP = { name: 'Shoe shop', urlScheme: 'shoeshop', androidPackage: 'com.example.shop' };
/** Makes the service serve a page on Android too, where the referrer would suffice. */
const ALWAYS = { ...STORES, landingPage: 'always' };

const FACEBOOK_ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A.240205.002; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/121.0.6167.178 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/450.0.0.42.110;]';
const LINUX =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/29.0 Chrome/136.0.0.0 Safari/537.36';
const LINUX_FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:147.0) Gecko/20100101 Firefox/147.0';
const CHROME_OS =
  'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const SMALLER_IPHONE = { ...DEVICES.iphone, screen: { width: 375, height: 667 }, pixelRatio: 2 };

/** No single timer may delay a visitor's way to the store for longer than this. */
const PATIENCE_MS = 300;
const IMPATIENT = `{ const set = window.setTimeout;
  window.setTimeout = (run, ms = 0, ...rest) => ms > ${PATIENCE_MS} ? 0 : set(run, ms, ...rest); }`;
/** Timeout for short waits of the page, on a loaded machine. */
const PATIENT = `{ const set = window.setTimeout;
  window.setTimeout = (run, ms = 0, ...rest) => set(run, 100 * ms, ...rest); }`;

const browser = await useBrowser();

for (const engine of engines)
  describe(`the landing page in a browser, on ${engine}`, { skip: browser.missing }, () => {
    const world = useWorld(engine);
    let base: string;
    let app: TestApp;
    before(async () => {
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      base = `http://127.0.0.1:${(world.service.api.server.address() as AddressInfo).port}`;
      app = await world.newApp(APP);
    });
    afterEach(() => browser.closePages());

    interface StoredClick {
      readonly id: string;
      readonly deviceModel: string | null;
      readonly fingerprint: Record<string, unknown>;
    }

    /** The clicks of a link that have signals, oldest first, once there are `count` of them. */
    async function clicksWithSignals(linkId: string, count = 1, { id: appId } = app): Promise<StoredClick[]> {
      return await waitFor(`${count} clicks with signals`, async () => {
        const rows = await queryStored(
          world.place,
          `select id, device_model, fingerprint from clicks
           where app_id = '${appId}' and link_id = '${linkId}' and signals_at is not null order by id`,
        );
        if (rows.length < count) return undefined;
        return rows.map(({ id, device_model, fingerprint }) => ({
          id: String(id),
          deviceModel: device_model as string | null,
          // Each engine returns JSON in its own form.
          fingerprint: typeof fingerprint === 'string' ? JSON.parse(fingerprint) : fingerprint,
        }));
      });
    }

    async function visit(shortCode: string, device: Device, setting: Partial<Setting> = {}): Promise<Page> {
      const page = await browser.open(device, setting);
      assert.equal(await page.goto(`${base}/l/${shortCode}`), 200);
      return page;
    }

    /** Copies a text to the shared clipboard, as a person does beforehand. */
    async function copy(page: Page, text: string): Promise<void> {
      await page.goto(`${base}/healthz`);
      await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(text)})`);
    }

    it('collects the signals of an iPhone and navigates to the App Store', async () => {
      const { id, shortCode } = await world.newLink(app, STORES);
      const page = await visit(shortCode, DEVICES.iphone, {
        languages: 'de-CH,fr',
        timezone: 'Europe/Zurich',
      });
      assert.equal(await page.reached('https://'), APP_STORE);
      const [click] = await clicksWithSignals(id);
      assert.deepEqual(click?.fingerprint, {
        screenWidth: 393,
        screenHeight: 852,
        pixelRatio: 3,
        timezone: 'Europe/Zurich',
        languages: ['de-CH', 'fr'],
        maxTouchPoints: 5,
        coarsePointer: true,
      });
      assert.equal(click?.deviceModel, null);
    });

    it('collects the model and version of an Android phone and navigates to Google Play with the click ID', async () => {
      const own = await world.newApp({ name: 'No scheme' });
      const { id, shortCode } = await world.newLink(own, ALWAYS);
      const page = await browser.open(DEVICES.pixel, { timezone: 'Asia/Tokyo' });
      await page.beforeScripts(PATIENT);
      await page.goto(`${base}/l/${shortCode}`);
      const store = new URL(await page.reached(PLAY));
      const [click] = await clicksWithSignals(id, 1, own);
      assert.equal(store.searchParams.get('referrer'), `svc_click_id=${click?.id}`);
      assert.equal(click?.deviceModel, 'Pixel 7');
      assert.equal(click?.fingerprint.platformVersion, '16.0.0');
      assert.equal(click?.fingerprint.timezone, 'Asia/Tokyo');
      assert.equal(click?.fingerprint.pixelRatio, 2.625);
    });

    it('signals are stored with their own click when several visitors tap at once', async () => {
      const { id, shortCode } = await world.newLink(app, STORES);
      const timezones = ['Europe/Zurich', 'Asia/Tokyo', 'America/Lima'];
      const pages = await Promise.all(
        timezones.map((timezone) =>
          visit(shortCode, DEVICES.iphone, {
            timezone,
            languages: `en,${timezone.slice(0, 2).toLowerCase()}`,
          }),
        ),
      );
      await Promise.all(pages.map((page) => page.reached(APP_STORE)));
      const clicks = await clicksWithSignals(id, timezones.length);
      assert.deepEqual(clicks.map(({ fingerprint }) => fingerprint.timezone).sort(), timezones.toSorted());
      const rows = await queryStored(
        world.place,
        `select id, accept_language from clicks where link_id = '${id}'`,
      );
      const languageOf = new Map(rows.map((row) => [row.id, String(row.accept_language)]));
      for (const { id: clickId, fingerprint } of clicks)
        assert.match(
          languageOf.get(clickId) ?? '',
          new RegExp(`^en,${String(fingerprint.timezone).slice(0, 2)};`, 'i'),
        );
    });

    it('the signals distinguish two phones whose requests are identical', async () => {
      const own = await world.newApp(APP);
      const { id, shortCode } = await world.newLink(own, STORES);
      for (const [device, timezone] of [
        [DEVICES.iphone, 'Europe/Zurich'],
        [SMALLER_IPHONE, 'America/New_York'],
      ] as const)
        await (await visit(shortCode, device, { timezone })).reached(APP_STORE);
      const [inZurich] = await clicksWithSignals(id, 2, own);
      const screen = { screenWidth: 1179, screenHeight: 2556, screenDensity: 3 };
      const phone = { platform: 'IOS', osVersion: '26.1', locale: 'en_US', timezone: 'Europe/Zurich' };
      const install = { fingerprint: { ...phone, ...screen } };
      const { body } = await world.install(own, install, { from: '127.0.0.1' });
      assert.deepEqual([body.method, body.clickId], ['FINGERPRINT', inZurich?.id]);
    });

    it('without JavaScript the page stays open and its button links to the store', async () => {
      const { shortCode } = await world.newLink(app, ALWAYS);
      for (const [device, store] of [
        [DEVICES.iphone, APP_STORE],
        [DEVICES.pixel, PLAY],
      ] as const) {
        const page = await visit(shortCode, device, { javaScript: false });
        assert.deepEqual(page.external, []);
        await page.tap(`a[href^="${store}"]`);
        await page.reached(store);
      }
    });

    it('tries the app first, and navigates to the store if no app opens', async () => {
      const { shortCode } = await world.newLink(app, ALWAYS);
      for (const [device, scheme, store] of [
        [DEVICES.iphone, 'shoeshop:', APP_STORE],
        [DEVICES.pixel, 'intent:', PLAY],
      ] as const) {
        const page = await browser.open(device);
        await page.beforeScripts(IMPATIENT);
        await page.goto(`${base}/l/${shortCode}`);
        await page.reached(store);
        assert.ok(page.handedOver[0]?.startsWith(scheme), `${device.name}: ${page.handedOver}`);
      }
    });

    it('navigates to the store without an app link, without client hints and without a working beacon', async () => {
      const plain = await world.newApp({ name: 'No scheme' });
      const { shortCode } = await world.newLink(plain, ALWAYS);
      for (const fault of [
        '',
        'NavigatorUAData.prototype.getHighEntropyValues = () => new Promise(() => {})',
        'NavigatorUAData.prototype.getHighEntropyValues = () => Promise.reject(new Error("no"))',
        'Navigator.prototype.sendBeacon = () => { throw new Error("no") }',
        'delete Navigator.prototype.sendBeacon',
        'Intl.DateTimeFormat = undefined',
      ]) {
        const page = await browser.open(DEVICES.pixel);
        await page.beforeScripts(`${IMPATIENT}; ${fault}`);
        await page.goto(`${base}/l/${shortCode}`);
        await page.reached(PLAY);
      }
    });

    it('sends requests only to the service and the store, and the store gets no referrer', async () => {
      const { shortCode } = await world.newLink(app, ALWAYS);
      for (const [device, store] of [
        [DEVICES.iphone, APP_STORE],
        [DEVICES.pixel, PLAY],
      ] as const) {
        const page = await visit(shortCode, device);
        await page.reached(store);
        const here = page.requests.filter((request) => !page.external.includes(request));
        assert.deepEqual(here.map(({ method, url }) => `${method} ${url.slice(base.length)}`).sort(), [
          `GET /l/${shortCode}`,
          `POST /l/${shortCode}/signals`,
        ]);
        assert.equal(page.external.length, 1);
        assert.equal(page.external[0]?.headers.Referer, undefined);
      }
    });

    it('does not stay in the history: Back from the store leads to the page with the link', async () => {
      const { shortCode } = await world.newLink(app, STORES);
      const page = await visit(shortCode, DEVICES.iphone);
      const addresses = await waitFor('the store to open', async () => {
        const found = await page.history();
        return found.at(-1) === APP_STORE ? found : undefined;
      });
      assert.deepEqual(addresses, ['about:blank', APP_STORE]);
    });

    it('sends an iPad, which identifies itself as a Mac, to the App Store, but no computer', async () => {
      const { shortCode } = await world.newLink(app, STORES);
      await (await visit(shortCode, DEVICES.tablet)).reached(APP_STORE);
      const mac = { ...DEVICES.tablet, touchPoints: 0, isMobile: false };
      const touchScreen = { ...DEVICES.desktop, touchPoints: 10 };
      for (const computer of [mac, touchScreen]) {
        const page = await visit(shortCode, computer);
        await page.reached(`${base}/l/${shortCode}/signals`);
        // Waits until the page's immediate actions are done.
        await page.evaluate('new Promise((resolve) => setTimeout(resolve))');
        assert.deepEqual(page.external, []);
      }
    });

    it('sends an Android tablet that asks for desktop pages to Play with the click ID, also past a fallbackUrl', async () => {
      const fallbackUrl = 'https://example.com/';
      const { id, shortCode } = await world.newLink(app, { ...STORES, fallbackUrl });
      const inDesktopMode = { ...DEVICES.tablet, platform: 'Linux armv81', userAgent: LINUX };
      const saysAndroid = { ...DEVICES.pixel, userAgent: LINUX };
      for (const device of [inDesktopMode, { ...inDesktopMode, userAgent: LINUX_FIREFOX }, saysAndroid]) {
        const page = await browser.open(device);
        await page.goto(`${base}/l/${shortCode}`);
        const store = new URL(await page.reached(PLAY));
        assert.match(store.searchParams.get('referrer') ?? '', /^svc_click_id=/);
      }
      // The client hint sends the third one to Play without a page.
      assert.equal((await clicksWithSignals(id, 2)).length, 2);
      const ipad = await visit(shortCode, DEVICES.tablet);
      assert.equal(await ipad.reached('https://'), APP_STORE);
    });

    it('sends a computer with Linux to the fallbackUrl, also one with a touch screen, and ChromeOS', async () => {
      const fallbackUrl = 'https://example.com/';
      const { shortCode } = await world.newLink(app, { ...STORES, fallbackUrl });
      const laptop = { ...DEVICES.desktop, userAgent: LINUX, platform: 'Linux x86_64', clientHints: null };
      const chromebook = { ...laptop, touchPoints: 10, userAgent: CHROME_OS };
      for (const device of [laptop, { ...laptop, touchPoints: 10 }, chromebook]) {
        const page = await browser.open(device);
        // Emulated touch always makes the pointer coarse; a laptop's first one is its touchpad.
        await page.beforeScripts('window.matchMedia = () => ({ matches: false })');
        await page.goto(`${base}/l/${shortCode}`);
        assert.equal(await page.reached('https://'), fallbackUrl);
      }
    });

    it('tries no app inside another Android app, except after a tap', async () => {
      const { shortCode } = await world.newLink(app, STORES);
      const device = { ...DEVICES.pixel, userAgent: FACEBOOK_ANDROID, clientHints: null };
      const page = await visit(shortCode, device, { leaves: false });
      await page.reached(PLAY);
      assert.deepEqual(page.handedOver, []);
      await page.tap('a[href^="intent:"]');
      await page.reached('intent:');
    });

    it('a second tap in Chrome sends the model in its request headers, also without JavaScript', async () => {
      const { id, shortCode } = await world.newLink(app, ALWAYS);
      const page = await visit(shortCode, DEVICES.pixel, { javaScript: false });
      await page.goto(`${base}/l/${shortCode}`);
      await world.service.clickLog.applied();
      const clicks = await queryStored(
        world.place,
        `select device_model from clicks where app_id = '${app.id}' and link_id = '${id}' order by id`,
      );
      assert.deepEqual(
        clicks.map(({ device_model }) => device_model),
        [null, 'Pixel 7'],
      );
    });

    it('waits for a tap if the app uses a clipboard token, and copies the token then', async () => {
      const willing = await world.newApp({ ...APP, clipboardToken: true });
      const { id, shortCode } = await world.newLink(willing, STORES);
      const page = await browser.open(DEVICES.iphone, { leaves: false });
      await copy(page, 'mine');
      // Chromium always allows copying; Safari only while it handles a tap.
      await page.beforeScripts(`{ const write = Clipboard.prototype.writeText;
        Clipboard.prototype.writeText = function (text) {
          return navigator.userActivation.isActive ? write.call(this, text) : Promise.reject(new Error('no tap'));
        }; }`);
      await page.goto(`${base}/l/${shortCode}`);
      const [click] = await clicksWithSignals(id, 1, willing);
      assert.deepEqual([page.external, page.handedOver, await page.clipboard()], [[], [], 'mine']);
      await page.tap('#go');
      await page.reached(APP_STORE);
      const install = { fingerprint: { platform: 'IOS' }, clickId: await page.clipboard() };
      const { body } = await world.install(willing, install, { from: freshAddress() });
      assert.deepEqual([body.method, body.clickId], ['CLICK_ID', click?.id]);
    });

    it('continues without a token if copying is not allowed', async () => {
      const willing = await world.newApp({ ...APP, clipboardToken: true });
      const { shortCode } = await world.newLink(willing, STORES);
      for (const fault of [
        'Clipboard.prototype.writeText = () => Promise.reject(new Error("no"))',
        'delete Navigator.prototype.clipboard',
      ]) {
        const page = await browser.open(DEVICES.iphone);
        await page.beforeScripts(fault);
        await page.goto(`${base}/l/${shortCode}`);
        await page.tap('#go');
        await page.reached(APP_STORE);
      }
    });

    it('leaves the clipboard unchanged unless the app uses clipboard tokens', async () => {
      const { shortCode } = await world.newLink(app, STORES);
      const page = await browser.open(DEVICES.iphone, { leaves: false });
      await copy(page, 'mine');
      await page.goto(`${base}/l/${shortCode}`);
      await page.tap(`a[href^="${APP_STORE}"]`);
      await page.reached(APP_STORE);
      assert.equal(await page.clipboard(), 'mine');
    });
  });
