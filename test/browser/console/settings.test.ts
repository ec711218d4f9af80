/** The settings of an app, and its set-up. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Device, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';

/** Whether to leave a page with unsaved edits. */
const IS_ASKED =
  '[...document.querySelectorAll("[role=dialog]")].some((each) => /without saving/.test(each.innerText))';
const to = (name: string) =>
  `[...document.querySelectorAll('main a, nav a')].find((each) => each.innerText.trim() === '${name}').click()`;
const LATE_ANSWERS = `
  const ask = fetch;
  fetch = async (...call) => {
    const answer = await ask(...call);
    await new Promise((go) => setTimeout(go, 200));
    return answer;
  };`;

const browser = await useBrowser();

describe('settings and set-up of an app', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = async (path: string, device: Device = DEVICES.desktop, scripts = '') =>
    await visitConsole(browser, {
      ...{ url: `${scene.url}/console/${scene.appId}/${path}`, cookie, device, scripts },
    });
  const errorAt = (page: Page, name: string) =>
    page.evaluate<string>(
      `(() => { const field = document.querySelector('[name=${name}]'); return document.getElementById(field.getAttribute('aria-describedby')).innerText; })()`,
    );

  it('a host that nobody can look at says why, and has no button', async () => {
    const page = await visit('settings', NARROW);
    await until(page, 'document.querySelector("#host").innerText.includes("It is not watched")');
    assert.equal(await page.evaluate('document.querySelectorAll("#host button").length'), 0);
    await assertSound(page, NARROW, 'settings-host');
  });

  it('a save is said until the next change, and the menu has the new name at once', async () => {
    const page = await visit('settings');
    await write(page, 'name', 'Shoes & more');
    await page.press('Enter');
    await until(page, 'document.querySelector("nav b").innerText === "Shoes & more"');
    assert.match(
      await page.evaluate<string>('document.querySelector("form [role=status]").innerText'),
      /Saved/,
    );
    await until(page, 'document.activeElement.name === "name"');
    await write(page, 'name', 'Shoes');
    await until(page, 'document.querySelector("form [role=status]").innerText === ""');
  });

  it('a generated Authorization value of RevenueCat opens its address, and is shown no more once it is saved', async () => {
    const page = await visit('settings');
    await until(page, '/\\/revenuecat\\//.test(document.body.innerText)');
    await press(page, 'Generate');
    const value = await page.evaluate<string>(
      'document.querySelector("[name=revenuecatAuthorization]").value',
    );
    assert.match(value, /^[0-9a-f]{64}$/);
    await press(page, 'Save');
    await until(page, '/Saved/.test(document.querySelector("form [role=status]").innerText)');
    assert.equal(await page.evaluate('document.querySelector("[name=revenuecatAuthorization]").value'), '');
    const send = async () =>
      await fetch(`${scene.url}/v1/integrations/revenuecat/${scene.appId}`, {
        method: 'POST',
        headers: { authorization: value, 'content-type': 'application/json' },
        body: JSON.stringify({ event: { id: 'a', type: 'TEST' } }),
      });
    assert.equal((await send()).status, 200);
    // A save of another field keeps it.
    await press(page, 'Save');
    await until(page, '/Saved/.test(document.querySelector("form [role=status]").innerText)');
    assert.equal((await send()).status, 200);
    await page.evaluate('document.querySelector("[name=revenuecatOff]").click()');
    await press(page, 'Save');
    await until(page, 'document.querySelector("[name=revenuecatOff]") === null');
    assert.equal((await send()).status, 401);
  });

  it('Meta’s key is not shown again, stays through other saves, and can be removed', async () => {
    const page = await visit('settings');
    const isSaved = '/Saved/.test(document.querySelector("form [role=status]").innerText)';
    const value =
      '[document.querySelector("[name=metaReferrerKey]")].map((field) => field.value + field.placeholder)[0]';
    const save = async () => {
      await page.press('Enter');
      await until(page, isSaved);
    };
    await write(page, 'metaReferrerKey', 'ab'.repeat(32));
    await save();
    assert.equal(await page.evaluate(value), 'Set. Empty keeps it');
    await write(page, 'name', 'Shoe shop');
    await save();
    assert.equal(await page.evaluate(value), 'Set. Empty keeps it');
    await page.evaluate('document.querySelector("[name=\\"metaReferrerKey.remove\\"]").click()');
    await write(page, 'name', 'Shoe shops');
    await save();
    assert.equal(await page.evaluate(value), '');
  });

  it('a page with unsaved edits is left after a question only, and a saved one without', async () => {
    const page = await visit('settings');
    await write(page, 'name', 'Half a name');
    await page.evaluate(to('Webhooks'));
    await until(page, IS_ASKED);
    await press(page, 'Stay');
    await until(page, `!${IS_ASKED} && document.querySelector('[name=name]').value === 'Half a name'`);
    await write(page, 'name', 'Shoes');
    await press(page, 'Save');
    await until(page, '/Saved/.test(document.querySelector("form [role=status]").innerText)');
    await page.evaluate(to('Webhooks'));
    await until(page, 'location.pathname.endsWith("/webhooks")');
    await page.evaluate('history.back()');
    await until(page, 'document.querySelector("[name=name]") !== null');
    await write(page, 'name', 'Half a name');
    await press(page, USER.name);
    await until(page, 'document.querySelector("[role=menuitem]") !== null');
    await page.evaluate(
      `[...document.querySelectorAll('[role=menuitem]')].find((each) => each.innerText === 'Sign out').click()`,
    );
    await until(page, IS_ASKED);
    await press(page, 'Stay');
    assert.equal((await fetch(`${scene.url}/v1/session`, { headers: { cookie } })).status, 200);
    await page.evaluate(to('Webhooks'));
    await until(page, IS_ASKED);
    await press(page, 'Leave');
    await until(page, 'location.pathname.endsWith("/webhooks")');
  });

  it('a tag that was removed is an edit too, what was typed back is none, and Cancel asks nothing', async () => {
    const headers = { cookie, 'x-app-id': scene.appId, 'content-type': 'application/json' };
    const body = JSON.stringify({ shortCode: 'tagged', deepLinkPath: '/a', tags: ['one'], title: 'Sale' });
    await fetch(`${scene.url}/v1/links`, { method: 'POST', headers, body });
    const removal = `document.querySelector('[aria-label="Remove the tag one"]')`;
    const page = await visit('links/tagged/edit');
    await until(page, 'document.querySelector("[name=title]") !== null');
    await page.evaluate(`${removal}.click()`);
    await until(page, `${removal} === null`);
    await page.evaluate(to('Webhooks'));
    await until(page, IS_ASKED);
    await until(page, 'document.activeElement.innerText === "Stay"');
    await press(page, 'Stay');
    await page.evaluate(to('Cancel'));
    await until(page, 'location.pathname.endsWith("/links/tagged")');
    const again = await visit('links/tagged/edit');
    await until(again, 'document.querySelector("[name=title]") !== null');
    await write(again, 'title', 'x');
    await write(again, 'title', 'Sale');
    await again.evaluate(to('Webhooks'));
    await until(again, 'location.pathname.endsWith("/webhooks")');
  });

  it('a field that comes with a later answer is no edit, and what is typed into it is one', async () => {
    const headers = { cookie, 'x-app-id': scene.appId, 'content-type': 'application/json' };
    const setHost = async (shortLinkHost: string | null) => {
      const body = JSON.stringify({ shortLinkHost });
      assert.equal((await fetch(`${scene.url}/v1/app`, { method: 'PATCH', headers, body })).status, 200);
    };
    await setHost('go.shop.example');
    const page = await visit('links/new', DEVICES.desktop, LATE_ANSWERS);
    await until(page, 'document.querySelector("[name=path]")');
    await page.evaluate(to('Webhooks'));
    await until(page, 'location.pathname.endsWith("/webhooks")');
    await page.evaluate('history.back()');
    await until(page, 'document.querySelector("[name=path]")');
    await write(page, 'path', 'summer');
    await page.evaluate(to('Webhooks'));
    await until(page, IS_ASKED);
    await setHost(null);
  });

  it('what is refused is said beside its field, without the name that only the API has for it', async () => {
    for (const [device, name] of [
      [DEVICES.desktop, 'settings-refused'],
      [NARROW, 'settings-refused-narrow'],
    ] as const) {
      const page = await visit('settings', device);
      await write(page, 'androidCertFingerprints', 'AA:BB');
      await press(page, 'Save');
      await until(
        page,
        'document.activeElement.matches("[name=androidCertFingerprints][aria-invalid=true]")',
      );
      assert.match(await errorAt(page, 'androidCertFingerprints'), /^Line 1 must be a SHA-256 fingerprint/);
      await page.evaluate('scrollTo(0, 0)');
      await assertSound(page, device, name);
      await write(page, 'androidCertFingerprints', ' ');
      await write(page, 'urlScheme', 'mailto');
      await press(page, 'Save');
      await until(page, 'document.activeElement.matches("[name=urlScheme][aria-invalid=true]")');
      assert.match(await errorAt(page, 'urlScheme'), /^Must be the app’s own/);
      assert.doesNotMatch(
        await page.evaluate<string>('document.querySelector("main").innerText'),
        /urlScheme/,
      );
    }
  });

  it('share links and addresses of the own host are set by owners, refused beside their fields, and kept while they are off', async () => {
    const stored = async () => {
      const headers = { cookie, 'x-app-id': scene.appId };
      return (await (await fetch(`${scene.url}/v1/app`, { headers })).json()) as Record<string, unknown>;
    };
    const isSaved = (page: Page) =>
      until(page, 'document.querySelector("form [role=status]").innerText === "Saved."');
    const page = await visit('settings');
    await write(page, '"firebaseLongLinks.allowedHosts"', '*.shop.example, shop example');
    await press(page, 'Save');
    await until(
      page,
      `document.activeElement.matches('[name="firebaseLongLinks.allowedHosts"][aria-invalid=true]')`,
    );
    assert.match(await errorAt(page, '"firebaseLongLinks.allowedHosts"'), /^Line 2 must be a host name/);
    await write(page, '"firebaseLongLinks.allowedHosts"', '*.shop.example');
    await write(page, 'rootUrl', 'https://shop.example/');
    await page.evaluate(`document.querySelector('[name="appLinks.enabled"]').click()`);
    await write(page, '"appLinks.defaults.fallbackUrl"', 'javascript:alert(1)');
    await press(page, 'Save');
    await until(
      page,
      `document.activeElement.matches('[name="appLinks.defaults.fallbackUrl"][aria-invalid=true]')`,
    );
    await write(page, '"appLinks.defaults.fallbackUrl"', 'https://shop.example/get');
    await write(page, '"appLinks.perInstallPerDay"', '7');
    await press(page, 'Save');
    await isSaved(page);
    const defaults = { fallbackUrl: 'https://shop.example/get' };
    const { rootUrl, firebaseLongLinks, appLinks } = await stored();
    assert.deepEqual(
      [rootUrl, firebaseLongLinks],
      ['https://shop.example/', { allowedHosts: ['*.shop.example'] }],
    );
    assert.partialDeepStrictEqual(appLinks, { enabled: true, defaults, perInstallPerDay: 7 });
    await page.evaluate(`document.querySelector('[name="appLinks.enabled"]').click()`);
    await press(page, 'Save');
    await isSaved(page);
    assert.partialDeepStrictEqual((await stored()).appLinks, {
      enabled: false,
      defaults,
      perInstallPerDay: 7,
    });
    const narrow = await visit('settings', NARROW);
    await narrow.evaluate(`document.querySelector('[name="appLinks.enabled"]').click()`);
    await assertSound(narrow, NARROW, 'settings-share-links');
  });

  it('the keyboard moves the threshold, which says what it would do, and saves it, as settings do; measuring and a fingerprint that are off are said', async () => {
    const slider = 'document.querySelector("#threshold")';
    const app = async () =>
      (await (
        await fetch(`${scene.url}/v1/app`, { headers: { cookie, 'x-app-id': scene.appId } })
      ).json()) as { fingerprintThreshold: number; measureAccuracy: boolean };
    const page = await visit('accuracy?platform=IOS');
    await page.evaluate(`${slider}.focus()`);
    await page.press('ArrowUp');
    await page.press('ArrowUp');
    await until(page, `${slider}.value === '72'`);
    assert.match(await page.evaluate<string>(`${slider}.getAttribute('aria-valuetext')`), /^72%, too few/);
    assert.equal(await page.evaluate(`${slider}.labels[0].innerText.startsWith('A click is matched')`), true);
    await page.press('End');
    await until(page, `${slider}.value === '99'`);
    assert.match(
      await page.evaluate<string>('document.querySelector("main").innerText'),
      /In the last 30 days it would have matched \d+ of \d+ installs? without a certain match/,
    );
    await page.press('Home');
    await until(page, `${slider}.value === '50'`);
    await press(page, 'Save 50%');
    await until(page, '/50% is saved/.test(document.querySelector("main").innerText)');
    assert.equal((await app()).fingerprintThreshold, 0.5);
    await press(page, 'Stop measuring');
    await until(page, '/Nothing is measured now/.test(document.querySelector("main").innerText)');
    await assertSound(page, DEVICES.desktop, 'accuracy-off');
    assert.equal((await app()).measureAccuracy, false);
    await press(page, 'Measure');
    await until(page, '!/Nothing is measured now/.test(document.querySelector("main").innerText)');
    const settings = await visit('settings');
    const inSettings = 'document.querySelector("[name=fingerprintThreshold]")';
    await until(settings, `${inSettings}?.value === '50'`);
    await write(settings, 'fingerprintThreshold', '64');
    await settings.evaluate('document.querySelector("[name=fingerprintIos]").click()');
    await press(settings, 'Save');
    await until(settings, '/Saved/.test(document.querySelector("form [role=status]").innerText)');
    assert.equal((await app()).fingerprintThreshold, 0.64);
    const off = await visit('accuracy?platform=IOS');
    await until(off, '/The fingerprint is off on iOS/.test(document.querySelector("main").innerText)');
    await assertSound(off, DEVICES.desktop, 'accuracy-fingerprint-off');
    const body = JSON.stringify({ fingerprintThreshold: 0.7, fingerprintIos: true });
    const headers = { cookie, 'x-app-id': scene.appId, 'content-type': 'application/json' };
    assert.equal((await fetch(`${scene.url}/v1/app`, { method: 'PATCH', headers, body })).status, 200);
  });

  it('set-up ticks nothing that the diagnosis of a link fails, and says how to get the SDK', async () => {
    const fields = { iosBundleId: 'com.example.shop', iosTeamId: 'A1B2C3D4E5', iosAppStoreId: '525463029' };
    const headers = { cookie, 'x-app-id': scene.appId, 'content-type': 'application/json' };
    const changed = await fetch(`${scene.url}/v1/app`, {
      ...{ method: 'PATCH', headers, body: JSON.stringify(fields) },
    });
    assert.equal(changed.status, 200, await changed.text());
    for (const [device, name] of [
      [DEVICES.desktop, 'set-up-findings'],
      [NARROW, 'set-up-findings-narrow'],
    ] as const) {
      const page = await visit('set-up', device);
      const steps = await page.evaluate<string[]>(
        '[...document.querySelectorAll("main > div ol:first-of-type > li")].map((each) => each.innerText)',
      );
      const ofIphones = steps.find((step) => step.startsWith('iPhones open the app')) ?? '';
      assert.match(ofIphones, /, fails.*Phones cannot reach 127\.0\.0\.1/s, JSON.stringify(steps));
      assert.match(steps.find((step) => step.startsWith('The app in the stores')) ?? '', /, done/);
      await page.evaluate(
        `[...document.querySelectorAll('button')].find((each) => each.innerText === 'Show the code').click()`,
      );
      await until(page, 'document.querySelector("main pre").innerText.includes("npm pack")');
      await assertSound(page, device, name);
    }
  });
});
