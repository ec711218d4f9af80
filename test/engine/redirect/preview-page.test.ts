import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS } from '../../../src/lib/clock.ts';
import { engines } from '../../helpers/engines.ts';
import { DESKTOP, IPHONE, PIXEL, useWorld } from '../../helpers/world.ts';

const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const BOTS = [
  SLACK,
  'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)',
  'WhatsApp/2.23.20.0 A',
  'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)',
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot Twitterbot/1.0',
];
const STORES = {
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
};
const OPEN_GRAPH = {
  ogTitle: 'Red shoes',
  ogDescription: 'At half price & new',
  ogImage: 'https://example.com/red.png?w=1200&h=630',
};

/** The page's meta tags, unescaped. */
function tagsOf(page: string): Record<string, string> {
  const tags = page.matchAll(/<meta (?:property|name)="([\w:]+)" content="([^"]*)">/g);
  return Object.fromEntries([...tags].map(([, name = '', html = '']) => [name, toText(html)]));
}

function toText(html: string): string {
  return html.replace(/&#(\d+);/g, (_, code: string) => String.fromCharCode(Number(code)));
}

function anchorsOf(page: string): string[] {
  return [...page.matchAll(/<a href="([^"]*)"/g)].map(([, html = '']) => toText(html));
}

for (const engine of engines)
  describe(`the preview page of a link on ${engine}`, () => {
    const world = useWorld(engine, { SHORT_LINK_URL: 'https://go.test' });
    const previewOf = async (shortCode: string, userAgent = SLACK) => {
      const { status, text } = await world.tap(shortCode, { userAgent });
      assert.equal(status, 200, text);
      return text;
    };

    it('has the link’s Open Graph fields', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), { ...STORES, ...OPEN_GRAPH });
      for (const userAgent of BOTS) {
        const text = await previewOf(shortCode, userAgent);
        const { viewport: _, robots: __, ...tags } = tagsOf(text);
        assert.deepEqual(tags, {
          'og:title': OPEN_GRAPH.ogTitle,
          'og:description': OPEN_GRAPH.ogDescription,
          'og:image': OPEN_GRAPH.ogImage,
          'og:url': `https://go.test/l/${shortCode}`,
          'og:type': 'website',
          'twitter:card': 'summary_large_image',
        });
        assert.ok(text.includes(`<title>${OPEN_GRAPH.ogTitle}</title>`));
      }
    });

    it('is sent to preview bots only', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), {
        ...{ ...STORES, ...OPEN_GRAPH, landingPage: 'never' },
        fallbackUrl: 'https://example.com/',
      });
      for (const userAgent of [IPHONE, PIXEL, DESKTOP, 'curl/8.5.0'])
        assert.equal((await world.tap(shortCode, { userAgent })).status, 302, userAgent);
    });

    it('falls back to the app’s name, without an image', async () => {
      const { shortCode } = await world.newLink(await world.newApp({ name: 'Shop & Co' }), STORES);
      const tags = tagsOf(await previewOf(shortCode));
      assert.equal(tags['og:title'], 'Shop & Co');
      assert.equal(tags['og:description'], 'Opens in the app Shop & Co');
      assert.equal(tags['twitter:card'], 'summary');
      assert.ok(!('og:image' in tags));
    });

    it('changes with the link', async () => {
      const app = await world.newApp({ name: 'Shop' });
      const { shortCode } = await world.newLink(app, OPEN_GRAPH);
      assert.equal(tagsOf(await previewOf(shortCode))['og:title'], OPEN_GRAPH.ogTitle);
      const body = { ogTitle: null, ogDescription: 'New', ogImage: null };
      await world.call('PATCH', `/v1/links/${shortCode}`, { key: app.keys.live, body });
      const tags = tagsOf(await previewOf(shortCode));
      assert.deepEqual(
        [tags['og:title'], tags['og:description'], tags['og:image']],
        ['Shop', 'New', undefined],
      );
    });

    it('has the short link at the app’s own host', async () => {
      const app = await world.newApp({ shortLinkHost: `${engine}.card.test` });
      const { shortCode } = await world.newLink(app);
      assert.equal(
        tagsOf(await previewOf(shortCode))['og:url'],
        `https://${engine}.card.test/l/${shortCode}`,
      );
    });

    it('links to the redirect’s destination, with the click ID, by which a person who looks like a bot is attributed', async () => {
      const app = await world.newApp();
      const fallbackUrl = 'https://example.com/?a=1&b="x"';
      const withFallback = await world.newLink(app, { ...STORES, fallbackUrl });
      assert.deepEqual(anchorsOf(await previewOf(withFallback.shortCode)), [new URL(fallbackUrl).href]);
      const onAndroid = await previewOf(withFallback.shortCode, `${PIXEL} MyChatBot/1.0`);
      const play = new URL(anchorsOf(onAndroid)[0] ?? '');
      const installReferrer = play.searchParams.get('referrer');
      const { body } = await world.install(app, { installReferrer, fingerprint: { platform: 'ANDROID' } });
      assert.equal(body.method, 'INSTALL_REFERRER');
      const withStores = await world.newLink(app, STORES);
      const withoutClick = (address: string) => address.replace(/&referrer=[^&]+/, '');
      assert.deepEqual(
        anchorsOf(await previewOf(withStores.shortCode)).map(withoutClick),
        Object.values(STORES),
      );
      const inApps = await world.newLink(app, {
        iosDestination: 'itms-apps://apps.apple.com/app/id1?mt=8',
        androidDestination: 'market://details?id=com.example',
      });
      // Desktop browsers cannot open `market:` and `itms-apps:`.
      assert.deepEqual(anchorsOf(await previewOf(inApps.shortCode)).map(withoutClick), [
        'https://apps.apple.com/app/id1?mt=8',
        'https://play.google.com/store/apps/details?id=com.example',
      ]);
      const withNothing = await world.newLink(app);
      assert.deepEqual(anchorsOf(await previewOf(withNothing.shortCode)), []);
    });

    it('escapes the link’s texts', async () => {
      const app = await world.newApp({ name: '</title><img src=x onerror=alert(1)>' });
      const hostile = '</title></script><script>alert(1)</script>"\'><b>&amp;';
      const { shortCode } = await world.newLink(app, {
        ogTitle: hostile,
        ogDescription: `${hostile}${'\u2029'}next`,
        ogImage: 'https://example.com/"><script>alert(1)</script>',
        fallbackUrl: 'https://example.com/?q="><script>alert(1)</script>',
      });
      const { shortCode: bare } = await world.newLink(app);
      for (const text of [await previewOf(shortCode), await previewOf(bare)]) {
        assert.doesNotMatch(text, /<script|<img|<b>|alert\(1\)>/);
        assert.equal(text.match(/<\/title>/g)?.length, 1);
      }
      const tags = tagsOf(await previewOf(shortCode));
      assert.deepEqual([tags['og:title'], tags['og:description']], [hostile, `${hostile} next`]);
    });

    it('has no control characters and no bidirectional controls', async () => {
      const controls = '\u0001a\u0007\u001b[31mb\r\nc\u007f\u0085d\u009be';
      const bidiControls = '\u202Etxt\u202C\u202A\u202B\u202D\u2066\u2067\u2068\u2069';
      const { shortCode } = await world.newLink(await world.newApp(), {
        ogTitle: controls,
        ogDescription: `${bidiControls}שלום\u200F`,
      });
      const text = await previewOf(shortCode);
      assert.doesNotMatch(text, /[\p{Cc}\u202A-\u202E\u2066-\u2069]/u);
      const tags = tagsOf(text);
      assert.equal(tags['og:title'], 'a [31mb c d e');
      assert.equal(tags['og:description'], 'txtשלום\u200F');
      assert.ok(text.includes('<bdi>a [31mb c d e</bdi>') && text.includes('<bdi>txtשלום\u200F</bdi>'));
    });

    it('falls back to the app’s name for invisible titles', async () => {
      const app = await world.newApp({ name: 'Shop' });
      const { shortCode } = await world.newLink(app, { ogTitle: ' \u202E\u0007', ogDescription: '\n' });
      const tags = tagsOf(await previewOf(shortCode));
      assert.deepEqual([tags['og:title'], tags['og:description']], ['Shop', 'Opens in the app Shop']);
    });

    it('forbids subresources, scripts and caching', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), OPEN_GRAPH);
      const { headers } = await world.tap(shortCode, { userAgent: SLACK });
      assert.equal(headers['content-type'], 'text/html; charset=utf-8');
      assert.match(
        String(headers['content-security-policy']),
        /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
      );
      assert.equal(headers['x-content-type-options'], 'nosniff');
      assert.equal(headers['referrer-policy'], 'no-referrer');
      assert.equal(headers['cache-control'], 'no-store');
      assert.ok(headers['x-request-id']);
    });

    it('is recorded as a click of kind `preview`', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, OPEN_GRAPH);
      await previewOf(shortCode);
      const { clickLog, db } = world.service;
      await clickLog.applied();
      const clicks = await db.selectFrom('clicks').select('visitor').where('app_id', '=', app.id).execute();
      assert.deepEqual(
        clicks.map(({ visitor }) => visitor),
        ['preview'],
      );
    });

    it('is not sent for expired or deleted links', async () => {
      const app = await world.newApp();
      const expired = await world.newLink(app, { ...OPEN_GRAPH, expiresInDays: 1 });
      const deleted = await world.newLink(app, OPEN_GRAPH);
      await world.call('DELETE', `/v1/links/${deleted.shortCode}`, { key: app.keys.live });
      world.clock.advance(2 * DAY_MS);
      assert.equal((await world.tap(expired.shortCode, { userAgent: SLACK })).status, 410);
      assert.equal((await world.tap(deleted.shortCode, { userAgent: SLACK })).status, 404);
    });
  });
