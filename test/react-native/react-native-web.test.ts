/** The example shop against the real service: from the tap on a short link to the webhook of a purchase. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Page, useBrowser } from '../helpers/browser.ts';
import { engines } from '../helpers/engines.ts';
import { serveExampleApp } from '../helpers/example-app.ts';
import { STORES } from '../helpers/landing-scene.ts';
import type { Site } from '../helpers/site.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { envelopeOf, RECEIVER_ENV, useReceiver } from '../helpers/webhook-receiver.ts';
import { newWebhook } from '../helpers/webhooks.ts';
import { type TestApp, useWorld } from '../helpers/world.ts';

const LINK = { ...STORES, campaignId: 'spring', deepLinkPath: '/shoes/42', deepLinkParams: { size: 43 } };

const browser = await useBrowser();

for (const engine of engines)
  describe(`an app of React Native for web, on ${engine}`, { skip: browser.missing }, () => {
    const world = useWorld(engine, RECEIVER_ENV);
    const receiver = useReceiver();
    let base: string;
    let app: TestApp;
    let shop: Site;
    before(async () => {
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      base = `http://127.0.0.1:${(world.service.api.server.address() as AddressInfo).port}`;
      app = await world.newApp({ name: 'Shoe shop' });
      shop = await serveExampleApp({
        EXPO_PUBLIC_THROUGHLINE_URL: base,
        EXPO_PUBLIC_THROUGHLINE_KEY: app.keys.live_publishable,
      });
    });
    after(() => shop.close());
    afterEach(() => browser.closePages());

    /** Taps a link in the browser and waits for the signals of the landing page. */
    async function tap(page: Page): Promise<void> {
      const { id, shortCode } = await world.newLink(app, LINK);
      assert.equal(await page.goto(`${base}/l/${shortCode}`), 200);
      await page.reached(STORES.iosDestination);
      await waitFor('the signals of the click', async () => {
        const rows = await queryStored(
          world.place,
          `select id from clicks where link_id = '${id}' and signals_at is not null`,
        );
        return rows[0];
      });
    }

    const textOf = async (page: Page, id: string) =>
      await page.evaluate<string>(`document.querySelector('[data-testid="${id}"]')?.textContent ?? ''`);
    const shows = async (page: Page, id: string, text: string) =>
      await waitFor(`${id} ${text}`, async () => ((await textOf(page, id)) === text ? true : undefined));

    it('opens the screen of the tapped link at its first start, and its purchase reaches the webhook', async () => {
      const hook = receiver.newHook();
      await newWebhook(world, app, { url: hook.url, events: ['install.attributed', 'event.recorded'] });
      const page = await browser.open(DEVICES.iphone);
      await tap(page);
      await page.goto(shop.url);
      await shows(page, 'path', '/shoes/42');
      assert.equal(await textOf(page, 'deferred'), 'Your link brought you here');
      await shows(page, 'method', 'FINGERPRINT');

      await page.tap('[data-testid="buy"]');
      const [install, purchase] = (await hook.arrived(2)).map(envelopeOf);
      assert.equal(install?.event, 'install.attributed');
      assert.equal(install?.data.campaignId, 'spring');
      assert.deepEqual(
        [purchase?.event, purchase?.data.eventName, purchase?.data.installId],
        ['event.recorded', 'purchase', install?.data.installId],
      );
      const listed = await world.call('GET', '/v1/events?eventName=purchase', { key: app.keys.live });
      assert.deepEqual(
        listed.body.map(({ revenue }: { revenue: object }) => revenue),
        [{ amount: '19.99', currency: 'EUR' }],
      );

      await page.goto(shop.url);
      await shows(page, 'method', 'FINGERPRINT');
      assert.equal(await textOf(page, 'path'), '/', 'the second start opens no link');
      const { body } = await world.call('GET', '/v1/installs', { key: app.keys.live });
      assert.equal(body.length, 1, 'the second start is no install');
    });

    it('has no link without a tap', async () => {
      const page = await browser.open(DEVICES.iphone, { timezone: 'Asia/Tokyo' });
      await page.goto(shop.url);
      await shows(page, 'method', 'ORGANIC');
      assert.equal(await textOf(page, 'path'), '/');
    });
  });
