import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { VisitorAnswer } from '../../../src/diagnosis/visitors.ts';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { useWorld } from '../../helpers/world.ts';

const DESTINATIONS = {
  iosDestination: 'https://apps.apple.com/app/id525463029',
  androidDestination:
    'https://play.google.com/store/apps/details?id=com.example.shop&referrer=utm_source%3Dx',
  fallbackUrl: 'https://shop.example.com/é?click=CLICK_ID',
};

const LINKS: Readonly<Record<string, Record<string, unknown>>> = {
  'with all destinations': DESTINATIONS,
  'without a fallback': { ...DESTINATIONS, fallbackUrl: null },
  'without a destination': {},
  'with only a fallback': { fallbackUrl: DESTINATIONS.fallbackUrl },
  'with Android outside Play': { ...DESTINATIONS, androidDestination: 'https://shop.example.com/CLICK_ID' },
  'with landingPage always': { ...DESTINATIONS, landingPage: 'always' },
  'with landingPage never': { ...DESTINATIONS, landingPage: 'never' },
  'in the sandbox': { ...DESTINATIONS, sandbox: true },
  'expired, with a fallback': { ...DESTINATIONS, expiresInDays: 1 },
  'expired, without a fallback': { ...DESTINATIONS, fallbackUrl: null, expiresInDays: 1 },
};

const CLICK = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

for (const engine of engines)
  describe(`the visitors of a diagnosis on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.example.com' });

    async function visitorsOf(link: Record<string, unknown>) {
      const app = await world.newApp({ urlScheme: 'shop', clipboardToken: true });
      const { shortCode } = await world.newLink(app, link);
      if ('expiresInDays' in link) world.clock.advance(2 * DAY_MS);
      const path = `/v1/links/${shortCode}/diagnosis`;
      const { body } = await world.call('GET', path, { key: app.keys.live });
      return { shortCode, visitors: body.visitors as VisitorAnswer[] };
    }

    /** The response to a real tap, in the format of the diagnosis. */
    async function tapped(shortCode: string, userAgent: string) {
      const { status, headers, text } = await world.tap(shortCode, {
        userAgent,
        headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' },
      });
      const go = /id="go" href="([^"]*)"/.exec(text)?.[1];
      return {
        status,
        location: headers.location === undefined ? null : String(headers.location).replace(CLICK, 'CLICK_ID'),
        leadsTo: go === undefined ? null : toText(go).replace(CLICK, 'CLICK_ID'),
        answer:
          status === 302
            ? 'redirect'
            : status === 410
              ? 'gone'
              : text.includes('property="og:url"')
                ? 'preview'
                : 'page',
      };
    }

    for (const [title, link] of Object.entries(LINKS))
      it(`get the response of a real tap, for a link ${title}`, async () => {
        const { shortCode, visitors } = await visitorsOf(link);
        assert.deepEqual(
          visitors.map(({ visitor }) => visitor),
          ['iosSafari', 'androidChrome', 'inAppBrowser', 'desktop', 'previewBot'],
        );
        for (const { visitor, userAgent, status, location, leadsTo, answer } of visitors)
          assert.deepEqual(
            { status, location, leadsTo, answer },
            await tapped(shortCode, userAgent),
            visitor,
          );
      });

    it('include every kind of response', async () => {
      const { visitors } = await visitorsOf(DESTINATIONS);
      assert.deepEqual(
        visitors.map(({ visitor, answer, reason }) => [visitor, answer, reason]),
        [
          ['iosSafari', 'page', 'address_without_click'],
          ['androidChrome', 'redirect', 'address_with_click'],
          ['inAppBrowser', 'page', 'in_app_browser'],
          ['desktop', 'redirect', 'no_store'],
          ['previewBot', 'preview', 'preview'],
        ],
      );
      assert.equal(new Set(visitors.map(({ why }) => why)).size, visitors.length);
      const [, android] = visitors;
      const referrer = new URL(android?.location ?? '').searchParams.get('referrer');
      assert.equal(referrer, 'utm_source=x&svc_click_id=CLICK_ID');
      const { visitors: gone } = await visitorsOf({ expiresInDays: 1 });
      for (const { answer, status } of gone) assert.deepEqual([answer, status], ['gone', 410]);
    });
  });

function toText(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}
