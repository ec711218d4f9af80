/** The documents in a browser: the search, the keyboard, phones, contrast. */
import assert from 'node:assert/strict';
import type { AddressInfo } from 'node:net';
import { afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../helpers/browser/accessibility.ts';
import { DEVICES, type Page, useBrowser } from '../helpers/browser.ts';
import { NARROW, WATCH } from '../helpers/console-pages.ts';
import { until } from '../helpers/console-scene.ts';
import { neutralEngines } from '../helpers/engines.ts';
import { useWorld } from '../helpers/world.ts';

const browser = await useBrowser();
const { desktop } = DEVICES;
const LARGE = {
  ...desktop,
  screen: { width: 1440, height: 900 },
  viewport: { width: 1440, height: 900 },
  pixelRatio: 1,
};

for (const engine of neutralEngines)
  describe('the documents in a browser', { skip: browser.missing }, () => {
    const world = useWorld(engine);
    let base: string;
    before(async () => {
      await world.service.api.listen({ host: '127.0.0.1', port: 0 });
      base = `http://127.0.0.1:${(world.service.api.server.address() as AddressInfo).port}`;
    });
    afterEach(() => browser.closePages());

    it('the search finds a heading by the keyboard alone, on this host, within the policy', async () => {
      const page = await browser.open(LARGE);
      await page.beforeScripts(WATCH);
      await page.goto(`${base}/docs/guide/accounts`);
      await page.press('/');
      await page.type('univers link');
      await until(page, "document.querySelectorAll('search li a').length > 2");
      await page.screenshot('documents-search');
      await style(page, 'nav, main { display: none }');
      assert.deepEqual(await findFaults(page), []);
      await page.press('ArrowDown');
      const address = await page.evaluate<string>('document.activeElement.href');
      assert.match(address, /\/docs\/[\w/-]+(#[\w-]+)?$/);
      await page.press('Enter');
      await until(page, `location.href === '${address}'`);
      assert.deepEqual(await page.evaluate('window.refused'), []);
      assert.ok(page.requests.every(({ url }) => url.startsWith(base)));
    });

    for (const [name, device, path, colorScheme] of [
      ['large', LARGE, 'reference/settings', 'light'],
      ['dark', LARGE, '', 'dark'],
      ['narrow', NARROW, 'guide/webhooks', 'light'],
      ['narrow-dark', NARROW, '', 'dark'],
    ] as const)
      it(`a page is readable without sideways scrolling: ${name}`, async () => {
        const page = await browser.open(device, { colorScheme });
        await page.goto(`${base}/docs/${path}`);
        await page.screenshot(`documents-${name}`);
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'));
        // Axe measures no contrast in what is scrolled away.
        await style(
          page,
          'nav, header { position: static } nav { max-height: none } .wide { display: none }',
        );
        assert.deepEqual(await findFaults(page), []);
      });
  });

async function style(page: Page, rules: string): Promise<void> {
  const important = rules.replaceAll(/ (?=\})/g, ' !important ');
  await page.evaluate(`(() => {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync('${important}');
    document.adoptedStyleSheets = [sheet];
  })()`);
}

/** But for the heading that the search’s test hides with the rest of the page. */
async function findFaults(page: Page): Promise<string[]> {
  const faults = await findViolations(page);
  return faults.filter(
    (fault) => !/^(?:page-has-heading-one|landmark-one-main|bypass|skip-link)\b/.test(fault),
  );
}
