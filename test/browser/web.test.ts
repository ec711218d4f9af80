/** Pages of a shop that load `/sdk/web.js` of the real service: banner, links and QR codes. */
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { createThroughline, type Ports } from '../../packages/core/src/index.ts';
import { findViolations } from '../helpers/browser/accessibility.ts';
import { DEVICES, type Device, type Page, type Setting, useBrowser } from '../helpers/browser.ts';
import { NARROW, WATCH } from '../helpers/console-pages.ts';
import { until } from '../helpers/console-scene.ts';
import { engines } from '../helpers/engines.ts';
import { STORES } from '../helpers/landing-scene.ts';
import { readPng, scan } from '../helpers/scan.ts';
import { Site } from '../helpers/site.ts';
import { queryStored } from '../helpers/stored.ts';
import { waitFor } from '../helpers/wait-for.ts';
import { type TestApp, useWorld } from '../helpers/world.ts';

const browser = await useBrowser();

const ICON =
  'data:image/svg+xml,%3Csvg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1 1"%3E%3Cpath fill="%23c2185b" d="M0 0h1v1H0z"/%3E%3C/svg%3E';
const SHOP = {
  ...{ title: 'Shoe shop', text: 'Faster and with your size in the app', language: 'en', icon: ICON },
  languages: { ar: { title: 'متجر الأحذية', text: 'أسرع في التطبيق', button: 'فتح', close: 'إغلاق' } },
};
const BANNER = '[role=region]';
const IN_BANNER = `document.querySelector('${BANNER}').shadowRoot`;
/** Adds up every shift of the layout, also soon after a tap. */
const SHIFTS = `window.shift = 0;
  new PerformanceObserver((list) => list.getEntries().forEach(({ value }) => { shift += value; }))
    .observe({ type: 'layout-shift', buffered: true });`;
/** By then the banner stands, and shifts are reported. */
const AFTER_FRAMES = 'new Promise((done) => requestAnimationFrame(() => setTimeout(done, 250)))';
const CONTENT = `<main><h1>Red shoes</h1>${'<p>A text about <a href="/">shoes</a> that a person reads.</p>'.repeat(40)}<div id="qr"></div></main>`;

// What a browser does does not depend on the database.
for (const engine of engines.slice(0, 1))
  describe('a page with the script of the service', { skip: browser.missing }, () => {
    const world = useWorld(engine);
    let site: Site;
    let base: string;
    let app: TestApp;
    let code: string;
    let script: string;
    before(async () => {
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      base = `http://127.0.0.1:${(world.service.api.server.address() as AddressInfo).port}`;
      script = `${base}/sdk/web.js`;
      site = await Site.serve();
      app = await world.newApp({ name: 'Shoe shop' });
      ({ shortCode: code } = await world.newLink(app, SHOES));
      site.put('/shoes/42', { html: pageOf(`<script src="${script}" defer></script>`), policy: strict() });
    });
    after(() => site?.close());
    afterEach(() => browser.closePages());

    const SHOES = { ...STORES, deepLinkPath: '/shop', passPath: true, campaignId: 'spring' };

    /** Nothing but the script and the icon. */
    const strict = (source = base) => `default-src 'none'; script-src ${source}; img-src data:`;
    const pageOf = (head: string) =>
      `<!doctype html><html lang="en"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shoes</title>${head}<body>${CONTENT}`;

    interface Visit {
      readonly path?: string;
      readonly setting?: Partial<Setting>;
    }

    async function visit(device: Device, { path = '/shoes/42', setting = {} }: Visit = {}): Promise<Page> {
      const page = await browser.open(device, { leaves: false, reducedMotion: true, ...setting });
      await page.beforeScripts(WATCH + SHIFTS);
      await page.goto(site.url + path);
      await until(page, 'window.Throughline');
      return page;
    }

    /** @param options and functions of the page, as source. @returns why it is not shown. */
    async function show(
      page: Page,
      options: object = {},
      functions = '',
      config: object = {},
    ): Promise<unknown> {
      const all = JSON.stringify({ code, ...SHOP, ...options });
      return await page.evaluate(`window.banner?.destroy(); window.web = Throughline.createWeb(${JSON.stringify({ host: base, ...config })});
        window.banner = web.banner({ ...${all}, ${functions} });
        banner.absence`);
    }

    const link = async (page: Page, options: object = {}) =>
      await page.evaluate<string>(`web.link('${code}', ${JSON.stringify(options)})`);

    async function assertSound(page: Page, { viewport }: Device, name: string): Promise<void> {
      await page.evaluate(AFTER_FRAMES);
      await page.screenshot(`web-${name}`);
      assert.equal(await page.evaluate('shift'), 0, name);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, name);
      // axe measures contrasts in the body alone.
      await page.evaluate(`document.body.append(document.querySelector('${BANNER}'))`);
      assert.deepEqual(await findViolations(page), [], name);
      assert.deepEqual(await page.evaluate('refused'), [], name);
      assert.deepEqual(page.external, [], name);
    }

    it('from banner to store to the first open: the app shows what the person looked at', async () => {
      site.put('/shoes/43', {
        html: pageOf(
          `<script src="${script}" data-code="${code}" data-title="Shoe shop" data-deep-link-path data-carry='["size"]' defer></script>`,
        ),
        policy: strict(),
      });
      for (const device of [DEVICES.iphone, DEVICES.pixel]) {
        const page = await visit(device, { path: '/shoes/43?utm_source=mail&gclid=g1&size=38&x=1' });
        await until(page, `document.querySelector('${BANNER}')`);
        assert.deepEqual(await page.evaluate('refused'), []);
        await page.tap(`${BANNER} >>> a`);
        const store = await page.reached(
          device.name === 'iphone' ? STORES.iosDestination : 'https://play.google.com/',
        );
        const [click] = await waitFor('the click with what the page showed', async () => {
          await world.service.clickLog.applied();
          const rows = await queryStored(
            world.place,
            `select id, visitor, query from clicks where app_id = '${app.id}' ${device.name === 'iphone' ? 'and signals_at is not null' : ''} order by id desc`,
          );
          return rows.length > 0 ? rows : undefined;
        });
        assert.equal(click?.visitor, 'human');
        const installReferrer = new URL(store).searchParams.get('referrer');
        const ports: Ports =
          installReferrer === null
            ? { device: async () => ({ ...PHONE, platform: 'IOS', osVersion: '26.1' }) }
            : { device: async () => ({ platform: 'ANDROID' }), referrer: async () => ({ installReferrer }) };
        const client = createThroughline(
          { baseUrl: base, key: app.keys.live_publishable },
          { ...ports, storage: memory() },
        );
        await client.start();
        const { link: opened, clickId, campaignId } = await client.firstOpen();
        assert.deepEqual(
          [opened?.path, opened?.deferred, clickId, campaignId],
          ['/shop/shoes/43', true, click?.id, 'spring'],
        );
        assert.deepEqual(opened?.params, { utm_source: 'mail' });
        assert.match(
          String(typeof click?.query === 'string' ? click.query : JSON.stringify(click?.query)),
          /g1.*38/,
        );
        await client.shutdown();
      }
    });

    it('shows its banner on phones and tablets, light and dark, to both sides, large letters, without a shift, breaking no rule of access or of a strict policy', async () => {
      const tall = 'document.documentElement.style.fontSize = "200%"';
      for (const [name, device, position, setting, before] of [
        ['iphone', DEVICES.iphone, 'bottom', { reducedMotion: false }, ''],
        ['pixel-dark', DEVICES.pixel, 'top', { colorScheme: 'dark' }, ''],
        ['narrow-arabic', NARROW, 'pill', { languages: 'ar-EG,ar' }, ''],
        ['narrow-large-dark', NARROW, 'bottom', { colorScheme: 'dark' }, tall],
        ['tablet', DEVICES.tablet, 'pill', {}, ''],
      ] as const) {
        const page = await visit(device, { setting });
        await page.evaluate(before || '0');
        await page.evaluate(`${AFTER_FRAMES}.then(() => { shift = 0; })`);
        assert.equal(
          await show(page, { position, color: name === 'tablet' ? '#ffcc00' : undefined }),
          null,
          name,
        );
        await assertSound(page, device, name);
        const [direction, language, title] = await page.evaluate<string[]>(
          `[getComputedStyle(${IN_BANNER}.querySelector('a')).direction, document.querySelector('${BANNER}').lang, document.querySelector('${BANNER}').ariaLabel]`,
        );
        assert.deepEqual(
          [direction, language, title],
          name === 'narrow-arabic' ? ['rtl', 'ar', 'متجر الأحذية'] : ['ltr', 'en', 'Shoe shop'],
        );
        const moves = await page.evaluate<number>(
          `banner.destroy(), web.banner({ code: 'spring', title: 'x' }), document.querySelector('${BANNER}').getAnimations().length`,
        );
        assert.equal(moves, 'reducedMotion' in setting ? 1 : 0, name);
      }
    });

    it('leaves the end of the page and what has the focus in sight, and gives the page back as it was', async () => {
      const page = await visit(DEVICES.iphone);
      const styles = `[document.documentElement.getAttribute('style'), document.body.getAttribute('style')].join()`;
      const before = await page.evaluate(styles);
      await show(page);
      const covered = await page.evaluate<boolean>(`scrollTo(0, 1e9),
        document.querySelector('main').getBoundingClientRect().bottom > document.querySelector('${BANNER}').getBoundingClientRect().top`);
      assert.equal(covered, false);
      const focused = await page.evaluate<boolean>(`scrollTo(0, 0), (() => {
        for (const each of document.querySelectorAll('main a')) {
          each.focus();
          if (each.getBoundingClientRect().bottom > document.querySelector('${BANNER}').getBoundingClientRect().top) return false;
        }
        return true; })()`);
      assert.equal(focused, true);
      await page.evaluate('banner.destroy()');
      assert.equal((await page.evaluate<string>(styles)).replaceAll(/[a-z-]+: *;/g, ''), before);
      assert.equal(await page.evaluate(`document.querySelector('${BANNER}')`), null);
    });

    it('stays in sight, and leaves the end of the page in sight, whatever body the page has or gets', async () => {
      const page = await visit(DEVICES.iphone);
      const sight = `(() => {
        scrollTo(0, 1e9);
        const { left, top, bottom } = document.querySelector('${BANNER}').getBoundingClientRect();
        const end = document.querySelector('main').getBoundingClientRect().bottom;
        return [bottom === innerHeight, document.elementFromPoint(left + 2, top + 2)?.role, end <= top]; })()`;
      for (const style of [
        ...['body{transform:translateY(0)}', 'body{filter:blur(0)}', 'body{will-change:transform}'],
        ...['body{contain:paint}', 'body{perspective:9px}', 'html{height:100%}body{min-height:100%}'],
        ...['@keyframes in{from{transform:scale(.9)}}body{animation:in 1s both}', 'body{display:flex}'],
      ]) {
        await page.evaluate(`window.banner?.destroy();
          document.adoptedStyleSheets = [window.sheet = new CSSStyleSheet()];
          sheet.replaceSync(${JSON.stringify(style)})`);
        assert.equal(await show(page), null);
        assert.deepEqual(await page.evaluate(sight), [true, 'region', true], style);
      }
      await page.evaluate(`sheet.replaceSync('');
        document.body.replaceWith(Object.assign(document.createElement('body'), { innerHTML: document.body.innerHTML }))`);
      assert.deepEqual(await page.evaluate(sight), [true, 'region', true]);
    });

    it('that a blocker hides takes no room and is not shown', async () => {
      const page = await visit(DEVICES.iphone);
      const room =
        '[document.documentElement.scrollHeight, document.documentElement.style.scrollPaddingBottom]';
      const before = await page.evaluate(room);
      await page.evaluate(`window.events = [];
        document.adoptedStyleSheets = [window.sheet = new CSSStyleSheet()]`);
      for (const style of ['[role=region]', 'div:empty', 'html > div'].map(
        (each) => `${each}{display:none!important}`,
      )) {
        await page.evaluate(`sheet.replaceSync(${JSON.stringify(style)})`);
        assert.equal(await show(page, {}, `onShow: () => events.push('show')`), 'hidden', style);
        assert.deepEqual(await page.evaluate(room), before, style);
      }
      assert.deepEqual(await page.evaluate('events'), []);
    });

    it('lies below the page’s cookie bar, unless the page says its layer', async () => {
      const page = await visit(DEVICES.pixel);
      await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<div id="consent">Cookies?</div>');
        Object.assign(consent.style, { position: 'fixed', inset: 'auto 0 0', height: '200px', zIndex: 1000 })`);
      const above = `document.elementFromPoint(200, innerHeight - 40)`;
      await show(page);
      assert.equal(await page.evaluate(`${above}.id`), 'consent');
      await show(page, { zIndex: 1001 });
      assert.equal(await page.evaluate(`${above}.role`), 'region');
    });

    it('opens the screen that a single page shows at the tap, with its parameters', async () => {
      const data = `data-code="${code}" data-title="Shop" data-deep-link-path`;
      // A page may have it twice.
      site.put('/one', {
        html: pageOf(`<script src="${script}" ${data}></script>`.repeat(2)),
        policy: strict(),
      });
      const page = await visit(DEVICES.iphone, { path: '/one?utm_source=old' });
      await until(page, `document.querySelector('${BANNER}')`);
      const tapped = `(() => { const link = ${IN_BANNER}.querySelector('a');
        link.addEventListener('click', (event) => event.preventDefault()); link.click(); return link.href; })()`;
      assert.equal(await page.evaluate(tapped), `${base}/l/${code}/one?utm_source=old`);
      await page.evaluate(`history.pushState(null, '', '/two/2?utm_source=new')`);
      assert.equal(await page.evaluate(tapped), `${base}/l/${code}/two/2?utm_source=new`);
      assert.equal(await page.evaluate(`document.querySelectorAll('${BANNER}').length`), 1);
    });

    it('is one on a page, whoever asks for it, and leaves what the page sets meanwhile', async () => {
      const page = await visit(DEVICES.pixel);
      await show(page);
      await page.evaluate('window.first = banner; banner = null');
      await show(page, { title: 'Second' });
      const shown = `[...document.querySelectorAll('${BANNER}')].map((each) => each.ariaLabel).join()`;
      assert.equal(await page.evaluate(shown), 'Second');
      const padding = `document.documentElement.style.scrollPaddingBottom`;
      const room = await page.evaluate<string>(padding);
      await page.evaluate('first.destroy()');
      assert.deepEqual(await page.evaluate(`[${shown}, ${padding}]`), ['Second', room]);
      await page.evaluate(`document.body.style.marginBottom = '9px'; ${padding} = '8px'; banner.destroy()`);
      assert.deepEqual(await page.evaluate(`[${shown}, ${padding}, document.body.style.marginBottom]`), [
        ...['', '8px', '9px'],
      ]);
    });

    it('can be read and closed with letters of twice the size and in forced colours, and without its icon', async () => {
      const page = await visit(NARROW);
      await page.evaluate(`window.size = () => {
        const close = ${IN_BANNER}.querySelector('button');
        return [parseFloat(getComputedStyle(close).fontSize), close.offsetWidth >= 44 && close.offsetHeight >= 44]; }`);
      await show(page, { icon: 'https://other.example/icon.png' });
      await until(page, `!${IN_BANNER}.querySelector('img')`);
      const [small, isLarge] = await page.evaluate<[number, boolean]>('size()');
      await page.evaluate('document.documentElement.style.fontSize = "200%"');
      assert.deepEqual([isLarge, await page.evaluate('size()')], [true, [small * 2, true]]);
      assert.match(
        await page.evaluate(`${IN_BANNER}.querySelector('a > :last-child').style.border`),
        /^1px solid/,
      );
    });

    it('before the body, or without its element, says so', async () => {
      site.put('/early', {
        html: pageOf(`<script src="${script}"></script><script>
          window.web = Throughline.createWeb({ host: '${base}' });
          try { web.banner({ code: 'spring', title: 'Shop' }); } catch ({ message }) { window.said = message; }
          </script>`),
      });
      const page = await visit(DEVICES.iphone, { path: '/early' });
      assert.match(await page.evaluate('said'), /<body>/);
      assert.match(
        await page.evaluate(`(() => { try { web.banner({ code: 'spring', title: 'Shop', element: null }); }
        catch ({ message }) { return message; } })()`),
        /element/,
      );
    });

    it('works by a nonce, and with checked bytes on a page that embeds only what allows it', async () => {
      const bytes = (await world.call('GET', '/sdk/web.js')).text;
      const integrity = `sha384-${hash('sha384', bytes, 'base64')}`;
      const data = `data-code="${code}" data-title="Shop" data-qr="#qr"`;
      site.put('/nonce', {
        html: pageOf(`<script src="${script}" nonce="n0nce" ${data}></script>`),
        policy: strict("'nonce-n0nce'"),
      });
      site.put('/checked', {
        html: pageOf(`<script src="${script}" integrity="${integrity}" crossorigin ${data}></script>`),
        policy: strict(),
        headers: { 'cross-origin-embedder-policy': 'require-corp' },
      });
      for (const path of ['/nonce', '/checked']) {
        const page = await visit(DEVICES.pixel, { path });
        await until(page, `document.querySelector('${BANNER}')`);
        assert.equal(await page.evaluate('document.querySelector("svg")'), null);
        assert.deepEqual(await page.evaluate('refused'), []);
      }
    });

    it('on a computer draws a QR code that cameras read, and no banner', async () => {
      const page = await visit(DEVICES.desktop, { path: '/shoes/42?utm_source=poster' });
      assert.equal(await show(page), 'no-phone');
      await page.evaluate(`document.querySelector('main').style.display = 'none';
        const place = document.body.appendChild(document.createElement('div'));
        place.id = 'code'; place.style.width = '240px';
        web.qr('${code}', place, { deepLinkPath: '/shoes/42', label: 'Open in the app' })`);
      const picture = readPng(await page.screenshot('web-desktop'));
      assert.equal(scan(picture), `${base}/l/${code}/shoes/42?utm_source=poster`);
      await page.evaluate(`history.replaceState(null, '', '?utm_source=poster&utm_term=${'x'.repeat(500)}&utm_id=${'y'.repeat(200)}');
        web.qr('${code}', place, { deepLinkPath: '/shoes/42', label: 'Open in the app' })`);
      assert.equal(scan(readPng(await page.screenshot('web-desktop-long'))), `${base}/l/${code}/shoes/42`);
      assert.deepEqual(await page.evaluate('[document.querySelector("svg").role, refused.length]'), [
        'img',
        0,
      ]);
      assert.equal(
        await page.evaluate('document.querySelector("svg").getAttribute("aria-label")'),
        'Open in the app',
      );
    });

    it('asks for nothing before a tap, sets no cookie, and stores nothing but what must be remembered', async () => {
      const page = await visit(DEVICES.iphone);
      await show(page);
      const asked = page.requests.map(({ url }) => url).filter((url) => !url.startsWith('data:'));
      assert.deepEqual(asked, [`${site.url}/shoes/42`, script]);
      const kept = '[document.cookie, ...Object.keys(localStorage), ...Object.keys(sessionStorage)]';
      assert.deepEqual(await page.evaluate(kept), ['']);
      await page.tap(`${BANNER} >>> button`);
      assert.deepEqual(await page.evaluate(kept), ['', `throughline.dismissed ${base}/l/${code}`]);
    });

    it('by keyboard: the link, then the button that closes it for the days that the page says', async () => {
      const page = await visit(DEVICES.pixel);
      const events = `onShow: () => events.push('show'), onDismiss: () => events.push('dismiss'),
        onTap: (event) => { events.push('tap'); event.preventDefault(); }`;
      await page.evaluate('window.events = []');
      await show(page, { position: 'top', dismissDays: 2 }, events);
      await page.press('Tab');
      await page.press('Enter');
      await page.press('Tab');
      assert.equal(await page.evaluate(`${IN_BANNER}.activeElement.getAttribute('aria-label')`), 'Close');
      await page.press('Enter');
      assert.deepEqual(await page.evaluate('events'), ['show', 'tap', 'dismiss']);
      assert.equal(await page.evaluate('location.pathname'), '/shoes/42');
      await page.goto(`${site.url}/shoes/42`);
      assert.equal(await show(page), 'dismissed');
      assert.equal(await show(page, { code: 'another' }), null);
      assert.equal(await show(page, {}, '', { host: 'go.example.com' }), null);
      assert.equal(await show(page, { dismissDays: false }), null);
      assert.equal(await page.evaluate(`${IN_BANNER}.querySelector('button')`), null);
      await page.evaluate(`window.now = Date.now(); Date.now = () => now + 47.9 * 3600_000`);
      assert.equal(await show(page), 'dismissed');
      assert.equal(await show(page, { dismissDays: 2 }), 'dismissed');
      assert.equal(await show(page, { dismissDays: 1 }), null);
      await page.evaluate('Date.now = () => now + 48.1 * 3600_000');
      assert.equal(await show(page, { dismissDays: 2 }), null);
      // It was closed while the clock ran ahead.
      await page.evaluate(
        `localStorage.setItem('throughline.dismissed ${base}/l/${code}', Date.UTC(2099, 0)), Date.now = () => now`,
      );
      assert.equal(await show(page), null);
      await page.evaluate(
        'Storage.prototype.getItem = Storage.prototype.setItem = () => { throw new Error("no") }',
      );
      assert.equal(await show(page, { dismissDays: 0 }), null);
    });

    it('keeps away from the app’s own web view, the home screen and Apple’s own banner', async () => {
      const { userAgent } = DEVICES.iphone;
      const apple = '<meta name="apple-itunes-app" content="app-id=1">';
      const head = `<script src="${script}"></script>`;
      site.put('/apple', { html: pageOf(apple + head) });
      const absenceOn = async (agent: string, path = '/shoes/42', options: object = {}, scripts = '') => {
        const page = await visit({ ...DEVICES.iphone, userAgent: agent }, { path });
        await page.evaluate(scripts || '0');
        return await show(page, options);
      };
      const own = { appUserAgent: 'ShoeShop/' };
      assert.equal(await absenceOn(`${userAgent} ShoeShop/3.1`, '/shoes/42', own), 'own-app');
      assert.equal(await absenceOn(userAgent, '/shoes/42', own), null);
      const standalone = 'Object.defineProperty(navigator, "standalone", { value: true })';
      assert.equal(await absenceOn(userAgent, '/shoes/42', {}, standalone), 'standalone');
      assert.equal(await absenceOn(userAgent, '/apple'), 'apple-banner');
      assert.equal(await absenceOn(userAgent, '/apple', { besideApple: true }), null);
      // Other browsers and apps on iPhones do not show Apple's.
      for (const [from, to] of [
        [/Version\/\S+/, 'CriOS/141.0.7390.96'],
        [/Version\/(\S+)/, 'Version/$1 EdgiOS/141.0.3537.99'],
        [/ Version.*/, ' Mobile/15E148 Instagram 400.0.0.0 (iPhone14,5; iOS 18_6)'],
      ] as const)
        assert.equal(await absenceOn(userAgent.replace(from, to), '/apple'), null, to);
    });

    it('remembers the campaign for the pages of a session, until the next one, unless the page opts out', async () => {
      const page = await visit(DEVICES.desktop, {
        path: '/shoes/42?utm_source=mail&utm_term=a&fbclid=f&ref=r',
      });
      const search = async (search: string, config: object = {}) => {
        await page.goto(`${site.url}/shoes/42${search}`);
        await show(page, {}, '', { carry: ['ref'], ...config });
        return new URL(await link(page)).search;
      };
      assert.equal(
        await search('?utm_source=mail&utm_term=a&fbclid=f&ref=r'),
        '?utm_source=mail&utm_term=a&fbclid=f&ref=r',
      );
      assert.equal(await search(''), '?utm_source=mail&utm_term=a&fbclid=f&ref=r');
      assert.equal(await search('?ref=s'), '?ref=s&utm_source=mail&utm_term=a&fbclid=f');
      assert.equal(await search('', { session: false }), '');
      assert.equal(await search('?gclid=g'), '?gclid=g');
      assert.equal(await search(''), '?gclid=g');
      await page.evaluate(
        'sessionStorage.setItem("throughline.parameters", "utm_x=1&svc_click_id=2&other=3&" + "utm_y=".repeat(999))',
      );
      assert.equal(await search(''), '?utm_x=1');
      await page.evaluate(
        'Storage.prototype.setItem = () => { throw new DOMException("full", "QuotaExceededError") }',
      );
      await show(page, {}, '', { carry: ['ref'] });
      assert.equal(new URL(await link(page)).search, '?utm_x=1');
    });

    it('reads attributes as what they say, also beside an element of the page that is named as the script', async () => {
      const clobber = `<img name="currentScript" src="https://evil.example/sdk/web.js" data-code="evil" data-title="Evil">`;
      const data = `data-code="${code}" data-title="Shop" data-element="#qr" data-force="false" data-carry="ref" data-on-tap="go()"`;
      site.put('/attributes', {
        html: pageOf('').replace('<body>', `<body>${clobber}<script src="${script}" ${data}></script>`),
        policy: strict(),
      });
      const desktop = await visit(DEVICES.desktop, { path: '/attributes' });
      assert.equal(await desktop.evaluate(`document.querySelector('${BANNER}')`), null);
      const page = await visit(DEVICES.pixel, { path: '/attributes' });
      await until(page, `document.querySelector('${BANNER}')`);
      assert.equal(await page.evaluate(`${IN_BANNER}.querySelector('a').href`), `${base}/l/${code}`);
      assert.equal(await page.evaluate(`document.querySelector('${BANNER}').parentNode.tagName`), 'HTML');
    });

    it('on Android, at the host of the links itself, opens the app by its scheme, or else the link', async () => {
      for (const [device, start] of [
        [DEVICES.pixel, 'intent://shoes/42#Intent;scheme=shop;S.browser_fallback_url='],
        [DEVICES.iphone, `${site.url}/l/${code}/shoes/42`],
      ] as const) {
        const page = await visit(device);
        const at = { host: site.url, appScheme: 'shop' };
        await show(page, { deepLinkPath: '/shoes/42?size=43&to=a%23b' }, '', at);
        const queried = await page.evaluate<string>(`${IN_BANNER}.querySelector('a').href`);
        assert.ok(queried.startsWith(start.replace('shoes/42', 'shoes/42?size=43&to=a%23b')), queried);
        await show(page, { deepLinkPath: '/shoes/42' }, '', at);
        const href = await page.evaluate<string>(`${IN_BANNER}.querySelector('a').href`);
        assert.ok(href.startsWith(start), href);
        const fallback = /fallback_url=(.*);end$/.exec(href)?.[1];
        if (fallback !== undefined)
          assert.equal(decodeURIComponent(fallback), `${site.url}/l/${code}/shoes/42`);
        await show(page, { deepLinkPath: '/shoes/42' }, '', { appScheme: 'shop' });
        assert.equal(
          await page.evaluate(`${IN_BANNER}.querySelector('a').href`),
          `${base}/l/${code}/shoes/42`,
        );
      }
    });
  });

const PHONE = {
  locale: 'en_US',
  timezone: 'America/New_York',
  screenWidth: 1179,
  screenHeight: 2556,
  screenDensity: 3,
};

function memory(): NonNullable<Ports['storage']> {
  const kept = new Map<string, string>();
  return {
    getItem: (key) => kept.get(key) ?? null,
    setItem: (key, value) => void kept.set(key, value),
    removeItem: (key) => void kept.delete(key),
  };
}
