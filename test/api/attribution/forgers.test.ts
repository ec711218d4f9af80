/** Forged taps and installs with a publishable key change no decision for other addresses. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { engines } from '../../helpers/engines.ts';
import { openPage, SIGNALS, STORES } from '../../helpers/landing-scene.ts';
import { freshAddress, IPHONE, IPHONE_FINGERPRINT, useWorld } from '../../helpers/world.ts';

const PHONE = {
  ...IPHONE_FINGERPRINT,
  screenWidth: 1179,
  screenHeight: 2556,
  screenDensity: 3,
  locale: 'de_DE',
  timezone: SIGNALS.timezone,
};
/** Contradicts that phone's clicks in screen, system and language. */
const OTHER_PHONE = { ...PHONE, screenWidth: 1290, screenHeight: 2796, osVersion: '16.1', locale: 'fr_FR' };

const FORGED_PAIRS = 8;
const CROWDED_ADDRESSES = 12;

for (const engine of engines)
  describe(`forged taps and installs on ${engine}`, () => {
    const world = useWorld(engine);

    async function newCampaign() {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, STORES);
      const tap = async (from: string) => {
        const { data } = await openPage(world, shortCode, { from });
        const body = { clickId: data.click, proof: data.proof, ...SIGNALS };
        const { status, text } = await world.call('POST', `/l/${shortCode}/signals`, { body, from });
        assert.equal(status, 204, text);
        return data.click;
      };
      const install = async (from: string, body: object) => {
        const { status, text, body: answer } = await world.install(app, { ...body }, { from });
        assert.equal(status, 200, text);
        return answer;
      };
      /** Restarts the service, which reads the matching statistics from the stored installs at startup. */
      const restart = async () => {
        await world.close();
        await world.open();
      };
      return { shortCode, tap, install, restart };
    }

    it('that contradict their clicks do not attribute another device’s click behind one address', async () => {
      const { tap, install, restart } = await newCampaign();
      for (let forged = 0; forged < FORGED_PAIRS; forged++) {
        const from = freshAddress();
        const { method } = await install(from, { clickId: await tap(from), fingerprint: OTHER_PHONE });
        assert.equal(method, 'CLICK_ID');
      }
      await restart();
      const home = freshAddress();
      await tap(home);
      const { method, deepLinkPayload } = await install(home, { fingerprint: OTHER_PHONE });
      assert.deepEqual([method, deepLinkPayload], ['ORGANIC', null]);
      assert.equal((await install(home, { fingerprint: PHONE })).method, 'FINGERPRINT');
    });

    it('that flood some addresses do not disable matching for others', async () => {
      const { shortCode, install, restart } = await newCampaign();
      for (let forged = 0; forged < CROWDED_ADDRESSES; forged++) {
        const from = freshAddress();
        const devices = Array.from({ length: 60 }, (_, place) => `${IPHONE} Made-up/${place}`);
        await Promise.all(devices.map((userAgent) => world.tap(shortCode, { from, userAgent })));
        for (let made = 0; made < 5; made++) await install(from, { fingerprint: OTHER_PHONE });
      }
      await restart();
      const home = freshAddress();
      await world.tap(shortCode, { from: home });
      assert.equal((await install(home, {})).method, 'FINGERPRINT');
    });
  });
