/** Resources, Link: the effect of each field on visitors and on the app. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { DESKTOP, freshAddress, IPHONE, PIXEL, useWorld } from '../../helpers/world.ts';

const PLAY = 'https://play.google.com/store/apps/details?id=com.example';
const DESTINATIONS = {
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: PLAY,
  fallbackUrl: 'https://example.com/app',
};

for (const engine of engines)
  describe(`resources, effect of Link fields, on ${engine}`, () => {
    const world = useWorld(engine);

    /** The attribution result of an install that followed the link. */
    async function installFrom(fields: Record<string, unknown>, debugBuild = false) {
      const app = await world.newApp();
      const from = freshAddress();
      const link = await world.newLink(app, { androidDestination: PLAY, ...fields });
      const clickId = await world.clickId(link.shortCode, { from });
      return (await world.install(app, { clickId, debugBuild }, { from: freshAddress() })).body;
    }

    it('Link field meaning: deepLinkPath is the path delivered to the app', async () => {
      const { deepLinkPayload } = await installFrom({ deepLinkPath: '/product/7?ref=x#top' });
      assert.equal(deepLinkPayload.deepLinkPath, '/product/7?ref=x#top');
    });

    it('Link field meaning: deepLinkParams are delivered with the path', async () => {
      const deepLinkParams = { id: 7, ключ: 'значение', nested: { list: [1, 'two', null, false] } };
      const { deepLinkPayload } = await installFrom({ deepLinkParams });
      assert.deepEqual(deepLinkPayload.deepLinkParams, deepLinkParams);
    });

    it('Link field meaning: attributions are grouped by campaignId', async () => {
      assert.equal((await installFrom({ campaignId: 'spring' })).campaignId, 'spring');
      assert.equal((await installFrom({})).campaignId, null);
    });

    it('Link field meaning: iosDestination is the store URL for iOS users', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), DESTINATIONS);
      const { status, headers } = await world.tap(shortCode, { userAgent: IPHONE });
      assert.deepEqual([status, headers.location], [302, DESTINATIONS.iosDestination]);
    });

    it('Link field meaning: androidDestination is the store URL for Android users, with svc_click_id in its referrer', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), DESTINATIONS);
      const { status, headers } = await world.tap(shortCode, { userAgent: PIXEL });
      assert.equal(status, 302);
      assert.match(
        String(headers.location),
        /^https:\/\/play\.google\.com\/store\/apps\/details\?id=com\.example&referrer=svc_click_id%3D[0-9a-f-]{36}$/,
      );
    });

    it('Link field meaning: fallbackUrl is for users on unsupported platforms', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, DESTINATIONS);
      const { status, headers } = await world.tap(shortCode, { userAgent: DESKTOP });
      assert.deepEqual([status, headers.location], [302, DESTINATIONS.fallbackUrl]);
    });

    it('Link field meaning: metadata is stored with the link', async () => {
      const metadata = { channel: 'tv', cost: 1.5, tags: ['a'] };
      assert.deepEqual((await installFrom({ metadata })).metadata, metadata);
    });

    it('Link field meaning: the link expires after expiresInDays', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, { iosDestination: PLAY, expiresInDays: 2 });
      world.clock.advance(2 * DAY_MS - 60_000);
      assert.equal((await world.tap(shortCode)).status, 302);
      world.clock.advance(60_000);
      assert.equal((await world.tap(shortCode)).status, 410);
    });

    it('Link field meaning: when sandbox is true, only debug builds can claim clicks from the link', async () => {
      assert.equal((await installFrom({ sandbox: true })).method, 'ORGANIC');
      assert.equal((await installFrom({ sandbox: true }, true)).method, 'CLICK_ID');
      assert.equal((await installFrom({ sandbox: false })).method, 'CLICK_ID');
    });
  });
