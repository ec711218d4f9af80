/** Who invited whom, in the console. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, useBrowser } from '../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole } from '../helpers/console-pages.ts';
import { type ConsoleScene, openConsoleScene, press, signInFirst, until } from '../helpers/console-scene.ts';

const browser = await useBrowser();
const INVITED = 12;
const PHONE =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36';

describe('inviters in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  /** The newest of those that were invited. */
  let invited = '';
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
    await call('PATCH', '/v1/app', { appLinks: { enabled: true } });
    const { key = '' } = await call('POST', '/v1/keys', { kind: 'live' });
    const sdk = (path: string, body: object) => call('POST', `/v1/sdk/${path}`, body, { 'x-api-key': key });
    const share = { installId: scene.installs.matched, deepLinkPath: '/shoes/42' };
    const { shortUrl = '' } = await sdk('links', share);
    for (let count = 0; count < INVITED; count++) {
      const tap = await fetch(shortUrl, { headers: { 'user-agent': PHONE }, redirect: 'manual' });
      const referrer = new URL(tap.headers.get('location') ?? '').searchParams.get('referrer') ?? '';
      const install = { installReferrer: referrer, fingerprint: { platform: 'ANDROID', osVersion: '15' } };
      ({ installId: invited = '' } = await sdk('install', install));
    }
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  async function call(
    method: string,
    path: string,
    body: object,
    headers: Record<string, string> = { cookie, 'x-app-id': scene.appId, origin: scene.url },
  ): Promise<Record<string, string>> {
    const answer = await fetch(scene.url + path, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, `${method} ${path}: ${await answer.clone().text()}`);
    return (await answer.json()) as Record<string, string>;
  }

  it('an install names its inviter, the inviter those it invited, and lists and Overview lead to it', async () => {
    for (const [device, colorScheme] of [
      [DEVICES.desktop, 'light'],
      [NARROW, 'dark'],
    ] as const) {
      const inviter = scene.installs.matched;
      const ofInviter = `a[href$="/installs/${inviter}"]`;
      const at = (path: string) => `${scene.url}/console/${scene.appId}${path}`;
      const page = await visitConsole(browser, {
        ...{ url: at(`/installs/${invited}`), cookie, device, setting: { colorScheme } },
      });
      await until(page, `document.querySelector('dl ${ofInviter}')`);
      await assertSound(page, device, `invited-${colorScheme}`);
      await page.evaluate(`document.querySelector('dl ${ofInviter}').click()`);
      await until(page, `/1 link shared, ${INVITED} clicks/.test(document.body.innerText)`);
      await assertSound(page, device, `inviter-${colorScheme}`);
      await page.evaluate(
        `[...document.querySelectorAll('a')].find((each) => each.innerText === 'All installs that it invited').click()`,
      );
      await until(page, `document.querySelectorAll('tbody ${ofInviter}').length === ${INVITED}`);
      await assertSound(page, device, `installs-of-inviter-${colorScheme}`);
      await goOn(page, at('?columns=clicks,installs'));
      await press(page, 'Inviters');
      await until(page, `document.querySelector('.rank-row ${ofInviter}')`);
      await assertSound(page, device, `overview-inviters-${colorScheme}`);
    }
  });
});
