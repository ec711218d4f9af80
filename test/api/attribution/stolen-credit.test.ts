/** Taps on another link from the same address do not take over the attribution of an install. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MINUTE_MS } from '../../../src/lib/clock.ts';
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
const GERMAN = { 'accept-language': 'de-DE' };

type Headers = Record<string, string>;
const THEFTS: Readonly<Record<string, { taps: number; headersOf: (tap: number) => Headers }>> = {
  'one tap by curl with the language of the phone': {
    taps: 1,
    headersOf: () => ({ 'user-agent': 'curl/8.5.0', ...GERMAN }),
  },
  'sixty taps by tools of different names': {
    taps: 60,
    headersOf: (tap) => ({ 'user-agent': `curl/8.5.${tap}`, ...GERMAN }),
  },
  'more taps without a user agent than one decision compares': {
    taps: 310,
    headersOf: () => ({ 'user-agent': '', ...GERMAN }),
  },
  'sixty taps by browsers whose user agent has no operating system': {
    taps: 60,
    headersOf: (tap) => ({ 'user-agent': `Mozilla/5.0 (${tap}) Gecko/20100101 Firefox/128.0`, ...GERMAN }),
  },
  'a tap with the user agent of the phone’s browser, without a language': {
    taps: 1,
    headersOf: () => ({ 'user-agent': IPHONE }),
  },
};

for (const engine of engines)
  describe(`an install after a tap, on ${engine}`, () => {
    const world = useWorld(engine);

    async function scene() {
      const app = await world.newApp();
      const from = freshAddress();
      const own = await world.newLink(app, { ...STORES, deepLinkPath: '/own' });
      const other = await world.newLink(app, { ...STORES, deepLinkPath: '/other' });
      const tap = async ({ shortCode }: { shortCode: string }, headers: Headers) => {
        const { status, text } = await world.call('GET', `/l/${shortCode}`, { from, headers });
        assert.ok(status < 400, text);
      };
      const tapAsPhone = async (
        { shortCode }: { shortCode: string },
        { withPage }: { withPage: boolean },
      ) => {
        const { data } = await openPage(world, shortCode, { from, headers: GERMAN });
        if (!withPage) return;
        const body = { clickId: data.click, proof: data.proof, ...SIGNALS };
        const { status, text } = await world.call('POST', `/l/${shortCode}/signals`, { body, from });
        assert.equal(status, 204, text);
      };
      const install = async (fingerprint: object = PHONE) => {
        const { status, text, body } = await world.install(app, { fingerprint }, { from });
        assert.equal(status, 200, text);
        return [body.method, body.deepLinkPayload?.deepLinkPath ?? null];
      };
      return { own, other, tap, tapAsPhone, install };
    }

    for (const [name, { taps, headersOf }] of Object.entries(THEFTS))
      for (const withPage of [true, false])
        it(`keeps its link after ${name}, ${withPage ? 'with' : 'without'} page signals`, async () => {
          const { own, other, tap, tapAsPhone, install } = await scene();
          await tapAsPhone(own, { withPage });
          world.clock.advance(2 * MINUTE_MS);
          for (let made = 0; made < taps; made++) await tap(other, headersOf(made));
          world.clock.advance(MINUTE_MS);
          assert.deepEqual(await install(), ['FINGERPRINT', '/own']);
        });

    it('is attributed to the later of two tapped links with equal signals', async () => {
      for (const withPage of [true, false]) {
        const { own, other, tapAsPhone, install } = await scene();
        await tapAsPhone(other, { withPage });
        world.clock.advance(MINUTE_MS);
        await tapAsPhone(own, { withPage });
        assert.deepEqual(await install(), ['FINGERPRINT', '/own']);
      }
    });

    it('matches a tap by a tool if no phone tapped', async () => {
      const { own, tap, install } = await scene();
      await tap(own, { 'user-agent': 'curl/8.5.0', ...GERMAN });
      assert.deepEqual(await install(), ['FINGERPRINT', '/own']);
    });
  });
