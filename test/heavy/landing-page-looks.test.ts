/** The landing page's layout, languages and accessibility on each device. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../helpers/browser/accessibility.ts';
import { DEVICES, type Device, type Page, type Setting, useBrowser } from '../helpers/browser.ts';
import { STORES } from '../helpers/landing-scene.ts';
import { readPng, scan } from '../helpers/scan.ts';
import { useWorld } from '../helpers/world.ts';

const MAX_BYTES = 8_192;
const APP = { name: 'Shoe shop', urlScheme: 'shoeshop', androidPackage: 'com.example.shop' };
const TALKATIVE = {
  ogTitle: 'Red shoes for the summer, and everything that goes with them, from bags to hats',
  ogDescription: `At half price until Sunday: ${'sandals, sneakers, boots and loafers in every size; '.repeat(4)}`,
};
/** The smallest screen still in use; also the layout of a larger one at 200 % zoom. */
const SMALL = {
  ...DEVICES.iphone,
  screen: { width: 320, height: 568 },
  viewport: { width: 320, height: 454 },
};
const STORE_LINK = 'a[href^="https://apps.apple.com/"], a[href^="https://play.google.com/"]';
/** The languages of docs/internals/links.md. */
const LANGUAGES = ['en', 'zh', 'hi', 'es', 'ar', 'fr', 'bn', 'pt', 'ru', 'id', 'ur', 'de', 'ja'];

const browser = await useBrowser();

describe('the layout of the landing page', { skip: browser.missing }, () => {
  // The layout does not depend on the engine.
  const world = useWorld('sqlite');
  let base: string;
  let plain: string;
  let talkative: string;
  before(async () => {
    await world.service.api.listen({ host: '127.0.0.1', port: 0 });
    base = `http://127.0.0.1:${(world.service.api.server.address() as AddressInfo).port}`;
    const always = { ...STORES, landingPage: 'always' };
    plain = (await world.newLink(await world.newApp(APP), always)).shortCode;
    const willing = await world.newApp({ ...APP, clipboardToken: true });
    talkative = (await world.newLink(willing, { ...always, ...TALKATIVE })).shortCode;
  });
  afterEach(() => browser.closePages());

  /** A page that stays open after its script has finished. */
  async function visit(device: Device, shortCode: string, setting: Partial<Setting> = {}): Promise<Page> {
    const page = await browser.open(device, { leaves: false, ...setting });
    assert.equal(await page.goto(`${base}/l/${shortCode}`), 200);
    if (setting.javaScript !== false) await page.reached(`${base}/l/${shortCode}/signals`);
    return page;
  }

  async function assertFits(page: Page, { viewport }: Device): Promise<void> {
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width);
    assert.deepEqual(await findViolations(page), []);
  }

  /** The store button's box, in CSS pixels. */
  async function buttonOf(page: Page): Promise<{ width: number; height: number; bottom: number }> {
    return await page.evaluate(`document.querySelector('${STORE_LINK}').getBoundingClientRect().toJSON()`);
  }

  for (const device of Object.values(DEVICES))
    it(`fits the ${device.name}, light and dark, and breaks no accessibility rule`, async () => {
      const brightness: number[] = [];
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await visit(device, plain, { colorScheme });
        const { data } = readPng(await page.screenshot(`landing-${device.name}-${colorScheme}`));
        brightness.push(data[0] ?? 0);
        await assertFits(page, device);
      }
      const [light = 0, dark = 0] = brightness;
      assert.ok(light > 200 && dark < 60, brightness.join(' '));
    });

  it('fits a small screen with the button in view, however long the link’s texts are', async () => {
    for (const languages of ['de', 'ar']) {
      const page = await visit(SMALL, talkative, { languages });
      await page.screenshot(`landing-small-${languages}`);
      await assertFits(page, SMALL);
      assert.ok((await buttonOf(page)).bottom <= SMALL.viewport.height, languages);
    }
  });

  for (const language of LANGUAGES)
    it(`is translated to ${language}, in its writing direction, in less than 8 KB`, async () => {
      const page = await visit(DEVICES.iphone, plain, { languages: `tlh,${language}-XX` });
      await page.screenshot(`landing-language-${language}`);
      const direction = ['ar', 'ur'].includes(language) ? 'rtl' : 'ltr';
      const shown = '[document.documentElement.lang, getComputedStyle(document.body).direction]';
      assert.deepEqual(await page.evaluate(shown), [language, direction]);
      const text = await page.evaluate<string>('document.querySelector("main").innerText');
      assert.equal(text.includes('Get the app'), language === 'en', text);
      await assertFits(page, DEVICES.iphone);
      for (const shortCode of [plain, talkative])
        for (const { userAgent } of Object.values(DEVICES)) {
          const headers = { 'user-agent': userAgent, accept: 'text/html', 'accept-language': language };
          const { length } = Buffer.from(
            await (await fetch(`${base}/l/${shortCode}`, { headers })).arrayBuffer(),
          );
          assert.ok(length > 1_000 && length < MAX_BYTES, `${length} bytes for ${userAgent}`);
        }
    });

  it('has one heading, a title, and a button that comes first and is large enough to touch', async () => {
    const page = await visit(DEVICES.iphone, plain, { javaScript: false });
    assert.equal(await page.evaluate('document.querySelectorAll("h1").length'), 1);
    assert.equal(await page.evaluate('document.title'), APP.name);
    const {
      width = 0,
      height = 0,
      bottom = 0,
    } = await page.evaluate<Record<string, number>>(
      `document.querySelector('${STORE_LINK}').getBoundingClientRect().toJSON()`,
    );
    assert.ok(width >= 44 && height >= 44, `${width} × ${height}`);
    assert.ok(bottom <= DEVICES.iphone.viewport.height, 'the button is below the visible part');
    await page.press('Tab');
    assert.ok(await page.evaluate(`document.activeElement.matches('${STORE_LINK}')`));
    await page.press('Enter');
    await page.reached(STORES.iosDestination);
  });

  it('shows desktops a QR code that a phone’s camera can read, light and dark', async () => {
    for (const colorScheme of ['light', 'dark'] as const) {
      const page = await visit(DEVICES.desktop, plain, { colorScheme });
      const seen = scan(readPng(await page.screenshot(`landing-code-${colorScheme}`)));
      assert.equal(seen, `http://links.test/l/${plain}`);
    }
  });
});
