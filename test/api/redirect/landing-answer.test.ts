/** The taps that get a landing page or a 302, and the page's targets. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { neutralEngines } from '../../helpers/engines.ts';
import { openPage, STORES, unescaped } from '../../helpers/landing-scene.ts';
import { DESKTOP, freshAddress, IPHONE, PIXEL, useWorld } from '../../helpers/world.ts';

const INSTAGRAM_IOS =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148 Instagram 334.0.4.32.98 (iPhone15,2; iOS 17_5_1; en_US; en; scale=3.00; 1179x2556; 605596538)';
const FACEBOOK_ANDROID =
  'Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A.240205.002; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/121.0.6167.178 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/450.0.0.42.110;]';
const GOOGLEBOT = 'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)';
const LINUX =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36';
const MAC_SAFARI =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/26.1 Safari/605.1.15';
const ALL = { ...STORES, fallbackUrl: 'https://example.com/' };
const OWN_STORE = { ...ALL, androidDestination: 'https://apps.example.com/shop' };
const HTML = { accept: 'text/html,*/*;q=0.8' };

type Fields = Record<string, unknown>;

for (const engine of neutralEngines)
  describe(`the response to a tap on ${engine}`, () => {
    const world = useWorld(engine);

    async function statusOf(userAgent: string, link: Fields, appFields: Fields = {}, headers: object = HTML) {
      const { shortCode } = await world.newLink(await world.newApp(appFields), link);
      const { status } = await world.tap(shortCode, {
        userAgent,
        from: freshAddress(),
        headers: { ...headers },
      });
      return status;
    }

    for (const [who, userAgent, link, status] of [
      ['an iPhone', IPHONE, ALL, 200],
      ['an iPhone, without an App Store address', IPHONE, { fallbackUrl: ALL.fallbackUrl }, 302],
      ['Android, to Play', PIXEL, ALL, 302],
      ['Android, to another store', PIXEL, OWN_STORE, 200],
      ['Instagram on iOS', INSTAGRAM_IOS, ALL, 200],
      ['Facebook on Android, to Play', FACEBOOK_ANDROID, ALL, 200],
      ['a desktop with a fallback', DESKTOP, ALL, 302],
      ['a desktop without a fallback', DESKTOP, STORES, 200],
      ['a computer with Linux, which may be an Android tablet', LINUX, ALL, 200],
      ['the same, without a store for Android', LINUX, { ...ALL, androidDestination: null }, 302],
      ['a Mac’s Safari, which may be an iPad', MAC_SAFARI, ALL, 200],
      ['a Mac’s Chrome', MAC_SAFARI.replace('Version/26.1 Safari', 'Chrome/141.0.0.0 Safari'), ALL, 302],
      ['a crawler', GOOGLEBOT, ALL, 302],
      ['an unknown bot, with a card', 'GroupMeBot/1.0', ALL, 200],
    ] as const)
      it(`is ${status === 200 ? 'a page' : 'a redirect'} for ${who}`, async () => {
        assert.equal(await statusOf(userAgent, link), status);
      });

    it('is a redirect to Play for a browser that says Android in a client hint only', async () => {
      const { shortCode } = await world.newLink(await world.newApp(), ALL);
      const headers = { ...HTML, 'sec-ch-ua': '"Chromium";v="141"', 'sec-ch-ua-platform': '"Android"' };
      const { status, headers: answer } = await world.tap(shortCode, { userAgent: LINUX, headers });
      assert.equal(status, 302);
      assert.match(String(answer.location), /^https:\/\/play\.google\.com\/.*svc_click_id/);
    });

    it('is a redirect for a program that does not accept HTML, whatever its user agent', async () => {
      assert.equal(await statusOf(IPHONE, ALL, {}, { accept: '*/*' }), 302);
      assert.equal(await statusOf(IPHONE, ALL, { landingPage: 'always' }, {}), 302);
    });

    for (const [app, link, userAgent, status] of [
      ['never', null, IPHONE, 302],
      ['always', null, PIXEL, 200],
      ['always', null, DESKTOP, 200],
      ['always', 'never', IPHONE, 302],
      ['never', 'always', DESKTOP, 200],
      ['always', 'auto', PIXEL, 302],
    ] as const)
      it(`is ${status} if the app has ${app} and the link ${link ?? 'no value'}`, async () => {
        assert.equal(await statusOf(userAgent, { ...ALL, landingPage: link }, { landingPage: app }), status);
      });

    it('is a page for a visitor without a destination, whatever the setting', async () => {
      assert.equal(await statusOf(DESKTOP, STORES, { landingPage: 'never' }), 200);
      assert.equal(await statusOf(DESKTOP, STORES, {}, { accept: '*/*' }), 200);
    });

    it('links to Play with the click of the page', async () => {
      const app = await world.newApp();
      const { shortCode } = await world.newLink(app, STORES);
      for (const userAgent of [DESKTOP, FACEBOOK_ANDROID]) {
        const { links } = await openPage(world, shortCode, { userAgent });
        const play = links.find((address) => address.startsWith('https://play.google.com')) ?? '';
        const install = {
          fingerprint: { platform: 'ANDROID' },
          installReferrer: URL.parse(play)?.searchParams.get('referrer'),
        };
        const { body } = await world.install(app, install, { from: freshAddress() });
        assert.equal(body.method, 'INSTALL_REFERRER');
      }
    });

    it('tries the app by its scheme on iOS, and by an intent that falls back to the store on Android', async () => {
      const app = await world.newApp({ urlScheme: 'shop', androidPackage: 'com.example' });
      const { shortCode } = await world.newLink(app, { ...OWN_STORE, deepLinkPath: '/products/42?size=m' });
      const onIos = (await openPage(world, shortCode)).data;
      assert.equal(onIos.app, `shop://products/42?size=m&svc_click_id=${onIos.click}`);
      const onAndroid = (await openPage(world, shortCode, { userAgent: PIXEL })).data;
      assert.equal(
        onAndroid.app,
        `intent://products/42?size=m&svc_click_id=${onAndroid.click}#Intent;scheme=shop;package=com.example;S.browser_fallback_url=${encodeURIComponent(onAndroid.go ?? '')};end`,
      );
    });

    for (const [deepLinkPath, screen] of Object.entries({
      '/search?q=red%20shoes&sale=50%': 'search?q=red%20shoes&sale=50%25',
      '/product:123456/a:b': 'product%3A123456/a:b',
      '/@kim/posts@home': '%40kim/posts@home',
    }))
      it(`tries the app by a URL that browsers accept, for ${deepLinkPath}`, async () => {
        const app = await world.newApp({ urlScheme: 'shop', androidPackage: 'com.example' });
        const { shortCode } = await world.newLink(app, { ...OWN_STORE, deepLinkPath });
        for (const [userAgent, scheme] of [[IPHONE, 'shop'] as const, [PIXEL, 'intent'] as const]) {
          const { data } = await openPage(world, shortCode, { userAgent });
          assert.ok(data.app?.startsWith(`${scheme}://${screen}`), data.app);
          assert.equal(new URL(data.app ?? '').href, data.app);
        }
      });

    for (const [deepLinkPath, screen] of Object.entries({
      '/x?svc_click_id=zzz': 'x?',
      '/x?a=1&svc_click_id=zzz&b=2': 'x?a=1&b=2&',
      '/x?a=1&%73VC_click%5Fid=zzz#svc_x&svc_y': 'x?a=1&',
    }))
      it(`gives the app no click ID but that of the tap, for ${deepLinkPath}`, async () => {
        const app = await world.newApp({ urlScheme: 'shop' });
        const { shortCode } = await world.newLink(app, { ...OWN_STORE, deepLinkPath });
        const { data } = await openPage(world, shortCode);
        assert.equal(data.app, `shop://${screen}svc_click_id=${data.click}`);
      });

    it('falls back to Play on the web instead of a market: URL, which browsers do not accept as a fallback', async () => {
      const app = await world.newApp({
        urlScheme: 'shop',
        androidPackage: 'com.example',
        landingPage: 'always',
      });
      const androidDestination = 'market://details?id=com.example';
      const { shortCode } = await world.newLink(app, { androidDestination });
      const { data } = await openPage(world, shortCode, { userAgent: PIXEL });
      const onTheWeb = data.go?.replace('market://details', 'https://play.google.com/store/apps/details');
      assert.ok(
        data.app?.includes(`S.browser_fallback_url=${encodeURIComponent(onTheWeb ?? '')};`),
        data.app,
      );
      assert.ok(onTheWeb?.includes(data.click ?? 'none'), onTheWeb);
    });

    it('waits for a tap before it tries the app if the browser may not support intents', async () => {
      const app = await world.newApp({ urlScheme: 'shop', androidPackage: 'com.example' });
      const { shortCode } = await world.newLink(app, ALL);
      const { data, links } = await openPage(world, shortCode, { userAgent: FACEBOOK_ANDROID });
      assert.equal(data.app, undefined);
      assert.ok(links.some((address) => address.startsWith('intent://')));
    });

    const HOSTILE = `</script><script>alert(1)</script>" onload="x' #Intent;package=evil;end \u0007\u202Egnp.exe\u2066`;

    it('escapes every text of a link', async () => {
      const app = await world.newApp({ urlScheme: 'shop', name: HOSTILE.replace(/\p{C}/gu, '') });
      const fields = { deepLinkPath: `/${HOSTILE}`, ogTitle: HOSTILE, ogDescription: HOSTILE };
      const { shortCode } = await world.newLink(app, { ...OWN_STORE, ...fields });
      for (const userAgent of [IPHONE, PIXEL]) {
        const { text, data } = await openPage(world, shortCode, { userAgent });
        assert.equal(text.match(/<script/g)?.length, 1);
        assert.doesNotMatch(text.replaceAll('\n', ''), /\p{Cc}|\p{Bidi_Control}| onload="/u);
        const shown = `</script><script>alert(1)</script>" onload="x' #Intent;package=evil;end  gnp.exe`;
        assert.equal(unescaped(/<h1><bdi>(.*?)<\/bdi>/.exec(text)?.[1] ?? ''), shown);
        assert.equal(data.app?.split('#').length, userAgent === PIXEL ? 2 : 1, data.app);
        assert.doesNotMatch(data.app?.split('#')[0] ?? '', /[";<>\s]/);
      }
    });

    it('has less than 8 KB and allows no script but its own', async () => {
      const app = await world.newApp({ clipboardToken: true, urlScheme: 'shop' });
      const { shortCode } = await world.newLink(app, {
        ...STORES,
        ogTitle: 'T'.repeat(60),
        ogDescription: 'D'.repeat(160),
      });
      for (const userAgent of [IPHONE, DESKTOP, FACEBOOK_ANDROID]) {
        const { text, headers } = await openPage(world, shortCode, {
          userAgent,
          headers: { 'accept-language': 'hi' },
        });
        assert.ok(Buffer.byteLength(text) < 8_000, `${Buffer.byteLength(text)}`);
        const policy = String(headers['content-security-policy']);
        assert.match(policy, /^default-src 'none'; style-src 'sha256-[^']+';/);
        assert.match(policy, /; script-src 'sha256-[^']+'; connect-src 'self'$/);
        assert.doesNotMatch(policy, /unsafe|\*/);
      }
    });
  });
