import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../test/engines.ts';
import { DESKTOP, freshAddress, useWorld } from '../../test/world.ts';

const STORES = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example&hl=en',
  iosDestination: 'https://apps.apple.com/app/id1',
};

for (const engine of engines)
  describe(`the landing page on ${engine}`, () => {
    const world = useWorld(engine);

    it('leads to Google Play with the click that it was shown for', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, STORES);
      const { status, text } = await world.tap(shortCode, { userAgent: DESKTOP, from: freshAddress() });
      assert.equal(status, 200);
      const addresses = [...text.matchAll(/href="([^"]*)"/g)].map(([, address = '']) =>
        address.replaceAll('&#38;', '&'),
      );
      assert.ok(addresses.includes(STORES.iosDestination), text);
      const referrer = URL.parse(addresses.at(-1) ?? '')?.searchParams.get('referrer');
      const install = { fingerprint: { platform: 'ANDROID' }, installReferrer: referrer };
      const { body } = await world.install(app, install, { from: freshAddress() });
      assert.equal(body.method, 'INSTALL_REFERRER');
    });
  });
