/** What visitors write into an address reaches destinations and payloads as text, and nothing else. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { HOSTILE_TEXTS } from '../../fixtures/hostile-texts.ts';
import { neutralEngines } from '../../helpers/engines.ts';
import { dataOf } from '../../helpers/link-truth.ts';
import { DESKTOP, freshAddress, IPHONE, PIXEL, type TestApp, useWorld } from '../../helpers/world.ts';

const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
const FALLBACKS = [
  'https://bücher.example:8443/a%20b/?own=1&x=%20y#/route?z=1',
  'http://[2001:db8::1]/',
  'https://user@shop.example?own=',
];
const STORES = {
  iosDestination: 'https://apps.apple.com/app/id1',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example',
};
/** Without a NUL, which the router of the tests refuses in a query; taps do not pass it. */
const TEXTS = HOSTILE_TEXTS.filter((text) => !text.includes('\0'));
const clean = (text: string) => text.replace(/\p{Cc}/gu, '').toWellFormed();
const encode = (text: string) => encodeURIComponent(text.toWellFormed());

for (const engine of neutralEngines)
  describe(`what a tap carries on, on ${engine}`, () => {
    const world = useWorld(engine);
    const newLink = async (app: TestApp, fields: object) =>
      await world.newLink(app, { deepLinkParams: { own: 1 }, passQuery: ['*'], passPath: true, ...fields });
    const tap = (address: string, userAgent: string) =>
      world.tap(address, { userAgent, from: freshAddress(), headers: { accept: 'text/html' } });

    /** Host, fragment and own parameters are the link's; the others come after them. */
    function checkFallback(
      address: string,
      fallbackUrl: string,
      added: readonly (readonly [string, string])[],
    ) {
      assert.match(address, /^[\x21-\x7e]+$/, 'a header and an attribute of plain characters');
      const [url, own] = [new URL(address), new URL(fallbackUrl)];
      for (const part of ['protocol', 'username', 'host', 'hash'] as const)
        assert.equal(url[part], own[part]);
      assert.ok(address.includes(own.search), 'the own query as it is written');
      assert.deepEqual([...url.searchParams], [...own.searchParams, ...added]);
    }

    for (const place of ['value', 'name'] as const)
      it(`a hostile ${place} of a parameter stays a ${place} of one, on every page and redirect`, async () => {
        const app = await world.newApp({ urlScheme: 'shop', androidPackage: 'com.example' });
        for (const fallbackUrl of FALLBACKS) {
          const plain = await newLink(app, { fallbackUrl });
          const always = await newLink(app, { fallbackUrl, landingPage: 'always' });
          const stores = await newLink(app, { fallbackUrl, ...STORES });
          const pageOf = async (code: string, userAgent: string) => (await tap(code, userAgent)).text;
          const [page, card] = [
            await pageOf(always.shortCode, DESKTOP),
            await pageOf(always.shortCode, SLACK),
          ];
          for (const text of TEXTS) {
            const [name, value] = place === 'value' ? ['p', text] : [text, 'v'];
            const query = `?${encode(name)}=${encode(value)}&own=theirs`;
            const isPassed = !/^(svc_|__proto__$)/i.test(clean(name)) && clean(name) !== '';
            const added = isPassed ? [[clean(name), clean(value)] as const] : [];
            const { status, headers } = await tap(plain.shortCode + query, DESKTOP);
            assert.equal(status, 302, JSON.stringify([fallbackUrl, text]));
            checkFallback(
              String(headers.location),
              fallbackUrl,
              added.concat(hasOwn(fallbackUrl) ? [] : [['own', 'theirs']]),
            );
            if (fallbackUrl !== FALLBACKS[0]) continue;
            const hostilePage = await tap(always.shortCode + query, DESKTOP);
            assert.equal(skeletonOf(hostilePage.text), skeletonOf(page), text);
            checkFallback(
              dataOf(hostilePage.text).go ?? '',
              fallbackUrl,
              added.concat(hasOwn(fallbackUrl) ? [] : [['own', 'theirs']]),
            );
            assert.equal(
              skeletonOf((await tap(always.shortCode + query, SLACK)).text),
              skeletonOf(card),
              text,
            );
            await checkStores(stores.shortCode, query);
          }
        }
      });

    async function checkStores(shortCode: string, query: string): Promise<void> {
      const onIos = dataOf((await tap(shortCode + query, IPHONE)).text);
      assert.equal(onIos.go, STORES.iosDestination);
      assert.match(onIos.app ?? '', /^shop:\/\/welcome\?svc_click_id=[0-9a-f-]{36}$/);
      const { location } = (await tap(shortCode + query, PIXEL)).headers;
      assert.match(String(location), /details\?id=com\.example&referrer=svc_click_id%3D[0-9a-f-]{36}$/);
      assert.equal(dataOf((await tap(shortCode + query, MAC)).text).ipad, STORES.iosDestination);
    }

    it('a hostile rest of the path stays below the path of the link, or is no link', async () => {
      const app = await world.newApp({ urlScheme: 'shop', androidPackage: 'com.example' });
      const plain = await newLink(app, { fallbackUrl: FALLBACKS[0] });
      const onPhone = await newLink(app, { ...STORES });
      const ownPath = new URL(FALLBACKS[0] ?? '').pathname;
      for (const text of [...HOSTILE_TEXTS, 'a/b//c', '%2e%2e', 'x/%2e./y', 'x'.repeat(513)]) {
        const address = `/${encode(text)}`;
        const { status, headers } = await tap(plain.shortCode + address, DESKTOP);
        const isNoLink = /[\\\p{Cc}]|(^|\/)(\.|%2e){1,2}(\/|$)/iu.test(text) || text.length > 512;
        assert.equal(status, isNoLink ? 404 : 302, JSON.stringify(text));
        if (isNoLink) continue;
        checkFallback(String(headers.location), FALLBACKS[0] ?? '', []);
        const rest = text
          .split('/')
          .filter((part) => part !== '')
          .join('/');
        assert.equal(
          new URL(String(headers.location)).pathname,
          ownPath.replace(/\/$/, '') +
            rest
              .split('/')
              .map((part) => `/${encode(part)}`)
              .join(''),
        );
        const { app: opened = '' } = dataOf((await tap(onPhone.shortCode + address, IPHONE)).text);
        assert.match(opened, /^shop:\/\/welcome\/[!-~]*[?&]svc_click_id=[0-9a-f-]{36}$/, text);
      }
    });

    it('parameters reach the payload as texts of their own, and never change what an object is', async () => {
      const app = await world.newApp();
      const { shortCode } = await newLink(app, { deepLinkParams: { own: 1, list: [1] } });
      const query =
        '?own=theirs&list=x&__proto__=x&__proto__[polluted]=1&constructor=y&a=1&a=2&b[]=1&b[]=2&c=%00d&svc_click_id=z';
      const body = { url: `http://links.test/l/${shortCode}${query}` };
      const answer = await world.call('POST', '/v1/sdk/resolve', { key: app.keys.live_publishable, body });
      assert.equal(
        answer.text,
        JSON.stringify({
          deepLinkPath: '/welcome',
          deepLinkParams: {
            own: 1,
            list: [1],
            '__proto__[polluted]': '1',
            constructor: 'y',
            a: '2',
            'b[]': '2',
            c: 'd',
          },
          isDeferred: false,
        }),
      );
      const many = Array.from({ length: 60 }, (_, index) => `p${index}=${index}`).join('&');
      const resolved = async (code: string, text: string) =>
        (
          await world.call('POST', '/v1/sdk/resolve', {
            ...{ key: app.keys.live_publishable, body: { url: `http://links.test/l/${code}?${text}` } },
          })
        ).body.deepLinkParams;
      assert.equal(Object.keys(await resolved(shortCode, many)).length, 2 + 25);
      const full = await newLink(app, { deepLinkParams: { own: 'x'.repeat(16 * 1024 - 60) } });
      const { own, ...more } = await resolved(full.shortCode, `a=${'y'.repeat(30)}&b=${'z'.repeat(30)}`);
      assert.deepEqual([own.length, more], [16 * 1024 - 60, { a: 'y'.repeat(30) }]);
    });
  });

function hasOwn(url: string): boolean {
  return new URL(url).searchParams.has('own');
}

/** A page without its addresses and what is made for each click. */
function skeletonOf(page: string): string {
  return page.replace(/(href|data-(?:go|click|proof|app|ipad|android|copy))="[^"]*"/g, '$1');
}
