/** The tests' browser emulates devices and records every request and navigation that would leave the machine. */
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../helpers/browser/accessibility.ts';
import { DEVICES, useBrowser } from '../helpers/browser.ts';
import { makePlace, type Place } from '../helpers/engines.ts';
import { type RunningServer, startServer } from '../helpers/process.ts';
import { readPng } from '../helpers/scan.ts';

const browser = await useBrowser();

describe('the browser on a page of a running service', { skip: browser.missing }, () => {
  let place: Place;
  let server: RunningServer;
  before(async () => {
    place = await makePlace('sqlite');
    server = await startServer(place);
  });
  afterEach(() => browser.closePages());
  after(async () => {
    await server?.end('SIGKILL');
    await place?.remove();
  });

  for (const device of [DEVICES.iphone, DEVICES.desktop])
    it(`renders the page as on the ${device.name}, light and dark, in the device’s own pixels`, async () => {
      const brightness: Record<string, number> = {};
      for (const colorScheme of ['light', 'dark'] as const) {
        const page = await browser.open(device, { colorScheme });
        assert.equal(await page.goto(`${server.url}/l/nobody`), 404);
        assert.equal(await page.evaluate('document.querySelector("h1").innerText'), 'Link not found');
        const png = readPng(await page.screenshot(`not-found-${device.name}-${colorScheme}`));
        assert.equal(png.width, device.viewport.width * device.pixelRatio);
        assert.equal(png.height, device.viewport.height * device.pixelRatio);
        brightness[colorScheme] = png.data[0] ?? 0;
      }
      assert.ok(Number(brightness.light) > 200 && Number(brightness.dark) < 60, JSON.stringify(brightness));
    });
});

describe('the browser', { skip: browser.missing }, () => {
  let site: Server;
  let url: string;
  /** The site's page; HEADERS is replaced by the headers of the request. */
  let html = '';
  before(async () => {
    site = createServer((request, response) => {
      response.setHeader('content-type', 'text/html; charset=utf-8');
      response.setHeader('accept-ch', 'Sec-CH-UA-Model');
      response.end(html.replace('HEADERS', JSON.stringify(request.headers).replaceAll('<', '')));
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    url = `http://127.0.0.1:${(site.address() as AddressInfo).port}/`;
  });
  afterEach(() => browser.closePages());
  after(() => site?.close());

  const page = (body: string) =>
    `<!doctype html><meta name="viewport" content="width=device-width"><title>A page</title>${body}`;

  for (const device of Object.values(DEVICES))
    it(`sends the headers and properties of the browser of the ${device.name}`, async () => {
      html = page('<script id="headers" type="application/json">HEADERS</script>');
      const opened = await browser.open(device, { languages: 'de-CH,fr', timezone: 'Europe/Zurich' });
      await opened.goto(url);
      assert.deepEqual(
        await opened.evaluate(`({
          userAgent: navigator.userAgent, platform: navigator.platform, touchPoints: navigator.maxTouchPoints,
          pixelRatio: devicePixelRatio, screen: [screen.width, screen.height], width: innerWidth,
          languages: navigator.languages, timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
          hasHints: 'userAgentData' in navigator,
        })`),
        {
          userAgent: device.userAgent,
          platform: device.platform,
          touchPoints: device.touchPoints,
          pixelRatio: device.pixelRatio,
          screen: [device.screen.width, device.screen.height],
          width: device.viewport.width,
          languages: ['de-CH', 'fr'],
          timezone: 'Europe/Zurich',
          hasHints: device.clientHints !== null,
        },
      );
      const headers = JSON.parse(await opened.evaluate('document.querySelector("#headers").textContent'));
      assert.equal(headers['user-agent'], device.userAgent);
      assert.equal(headers['accept-language'], 'de-CH,fr;q=0.9');
      assert.equal('sec-ch-ua' in headers, device.clientHints !== null);
    });

  it('returns the model and version of an Android device to a page that asks for them', async () => {
    html = page('');
    const opened = await browser.open(DEVICES.pixel);
    await opened.goto(url);
    const asked = 'navigator.userAgentData.getHighEntropyValues(["model", "platformVersion"])';
    const { model, platformVersion } = await opened.evaluate<Record<string, string>>(asked);
    assert.deepEqual([model, platformVersion], ['Pixel 7', '16.0.0']);
  });

  it('runs no page script if JavaScript is disabled, and still follows a tapped link', async () => {
    html = page(
      '<script>document.title = "Scripted"</script><a href="https://apps.apple.com/app/id1">Get</a>',
    );
    const opened = await browser.open(DEVICES.iphone, { javaScript: false });
    await opened.goto(url);
    assert.equal(await opened.evaluate('document.title'), 'A page');
    await opened.tap('a');
    assert.equal(await opened.reached('https://apps.apple.com/'), 'https://apps.apple.com/app/id1');
  });

  it('records and blocks requests that would leave this machine', async () => {
    html = page(`<img src="https://tracker.test/pixel.gif"><script>
      navigator.sendBeacon('https://tracker.test/beacon', 'x');
      fetch('http://192.0.2.1/').catch(() => location.assign('https://store.test/app'));
    </script>`);
    const opened = await browser.open(DEVICES.pixel);
    await opened.goto(url);
    await opened.reached('https://store.test/app');
    assert.deepEqual(opened.external.map((request) => `${request.method} ${request.url}`).sort(), [
      'GET http://192.0.2.1/',
      'GET https://store.test/app',
      'GET https://tracker.test/pixel.gif',
      'POST https://tracker.test/beacon',
    ]);
  });

  for (const [how, body] of [
    ['a script', '<script>setTimeout(() => { location.href = "shoeshop://shoes/42" })</script>'],
    ['a frame', '<iframe src="shoeshop://shoes/42"></iframe>'],
  ] as const)
    it(`records a link that opens an app through ${how}`, async () => {
      html = page(body);
      const opened = await browser.open(DEVICES.iphone);
      await opened.goto(url);
      assert.equal(await opened.reached('shoeshop:'), 'shoeshop://shoes/42');
    });

  it('records an intent that a tap opens', async () => {
    html = page('<a href="intent://shoes/42#Intent;scheme=shoeshop;end">Open</a>');
    const opened = await browser.open(DEVICES.pixel);
    await opened.goto(url);
    await opened.tap('a');
    assert.equal(await opened.reached('intent:'), 'intent://shoes/42#Intent;scheme=shoeshop;end');
  });

  it('stays on a page that navigates to a store, if configured to do so', async () => {
    html = page('<h1>Still here</h1><script>location.assign("https://store.test/app")</script>');
    const opened = await browser.open(DEVICES.iphone, { leaves: false });
    await opened.goto(url);
    await opened.reached('https://store.test/app');
    assert.equal(await opened.evaluate('document.querySelector("h1").innerText'), 'Still here');
  });

  it('returns the text that a page copies to the clipboard', async () => {
    html = page('<button onclick="navigator.clipboard.writeText(`copied`)">Copy</button>');
    const opened = await browser.open(DEVICES.iphone);
    await opened.goto(url);
    await opened.tap('button');
    assert.equal(await opened.clipboard(), 'copied');
  });

  it('reports accessibility faults: a missing language, low contrast', async () => {
    html = page('<main><h1>A title</h1><p style="color: #aaa; background: #fff">Faint</p></main>');
    const opened = await browser.open(DEVICES.iphone);
    await opened.goto(url);
    const found = await findViolations(opened);
    assert.deepEqual(found.map((violation) => violation.split(' ', 1)[0]).sort(), [
      'color-contrast',
      'html-has-lang',
    ]);
  });

  it('does not share cookies between pages', async () => {
    html = page('<script>document.cookie = "who=me"</script>');
    await (await browser.open(DEVICES.desktop)).goto(url);
    html = page('<script id="headers" type="application/json">HEADERS</script>');
    const other = await browser.open(DEVICES.desktop);
    await other.goto(url);
    const headers = JSON.parse(await other.evaluate('document.querySelector("#headers").textContent'));
    assert.equal(headers.cookie, undefined);
  });
});
