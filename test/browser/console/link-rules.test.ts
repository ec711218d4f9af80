/** Rules of a link, their tester, its address at the app's own host, and what its page and its clicks say of them. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  SAFARI,
  signInFirst,
  until,
  write,
} from '../../helpers/console-scene.ts';
import { waitFor } from '../../helpers/wait-for.ts';

const browser = await useBrowser();

describe('rules of links in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  let headers: Record<string, string>;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
    headers = { cookie, 'x-app-id': scene.appId, 'content-type': 'application/json' };
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const at = (path: string) => `${scene.url}/console/${scene.appId}/${path}`;
  const shows = (page: Page, text: string) =>
    until(page, `document.querySelector('main').innerText.includes(${JSON.stringify(text)})`);
  const isRefused = (page: Page, name: string, text: string) =>
    until(
      page,
      `(() => { const field = document.querySelector('[name="${name}"]');
        return field === document.activeElement && field.ariaInvalid === 'true'
          && document.getElementById(field.getAttribute('aria-describedby')).innerText.includes(${JSON.stringify(text)}); })()`,
    );
  const openFold = (page: Page, title: string) =>
    page.evaluate(
      `[...document.querySelectorAll('summary')].find((each) => each.innerText.includes('${title}')).parentElement.open = true`,
    );
  const pick = async (page: Page, condition: string) => {
    await press(page, 'Add a condition');
    await until(page, 'document.querySelector("[role=menuitem]")');
    await page.evaluate(
      `[...document.querySelectorAll('[role=menuitem]')].find((each) => each.innerText === '${condition}').click()`,
    );
    await until(page, '!document.querySelector("[role=menuitem]")');
  };
  const choose = (page: Page, label: string, value: string) =>
    page.evaluate(`(() => {
      const { htmlFor } = [...document.querySelectorAll('label')].find((each) => each.innerText === '${label}');
      const field = document.getElementById(htmlFor);
      Object.getOwnPropertyDescriptor(Object.getPrototypeOf(field), 'value').set.call(field, '${value}');
      field.dispatchEvent(new Event(field.matches('select') ? 'change' : 'input', { bubbles: true }));
    })()`);

  it('without a host of the app’s own the form says where to set one, and asks for no address', async () => {
    const page = await visitConsole(browser, { url: at('links/new'), cookie });
    await shows(page, 'With a host of its own');
    assert.equal(await page.evaluate('document.querySelector("[name=path]")'), null);
  });

  it('a rule is made, refused beside its fields, tried, moved by the keyboard and read as a sentence; its clicks name it', async () => {
    const body = JSON.stringify({ shortLinkHost: 'go.shop.example' });
    assert.equal((await fetch(`${scene.url}/v1/app`, { method: 'PATCH', headers, body })).status, 200);
    const page = await visitConsole(browser, { url: at('links/new'), cookie });
    await write(page, 'deepLinkPath', '/sale');
    await until(page, 'document.querySelector("[name=path]")');
    await write(page, 'path', 'l/summer');
    await shows(page, 'What begins with l belongs to the service.');
    await write(page, 'path', 'https://go.shop.example/summer/sale/');
    const { shortUrl } = (await (await fetch(`${scene.url}/v1/links/autumn`, { headers })).json()) as {
      readonly shortUrl: string;
    };
    await shows(page, `Short URL: ${shortUrl.replace('/l/autumn', '')}/summer/sale.`);

    await openFold(page, 'Rules');
    await press(page, 'Add a rule');
    await until(page, 'document.activeElement.matches("[data-rule] summary")');
    await press(page, 'Make link');
    await isRefused(page, 'rules.0.then.fallbackUrl', 'fill in at least one');
    await write(page, '"rules.0.name"', 'Austria');
    await pick(page, 'Device');
    await pick(page, 'Country');
    await write(page, '"rules.0.when.country"', 'austria');
    await page.press('Enter');
    await write(page, '"rules.0.then.iosDestination"', 'javascript:alert(1)');
    await press(page, 'Make link');
    await isRefused(page, 'rules.0.then.iosDestination', 'ust');
    await write(page, '"rules.0.then.iosDestination"', 'https://shop.example/at');
    await shows(page, 'iPhones and iPads in Austria go to shop.example/at.');
    await press(page, 'Duplicate');
    await until(page, 'document.querySelectorAll("[data-rule]").length === 2');
    await shows(page, 'Nobody gets it: rule 1 gets all of its visitors.');
    await write(page, '"rules.1.name"', 'Half');
    await page.evaluate(
      `[...document.querySelectorAll('[aria-label="Remove the condition Country"], [aria-label="Remove the condition Device"]')].slice(-2).forEach((each) => each.click())`,
    );
    await until(page, '!document.querySelector("[data-rule]:last-child [name$=country]")');
    await page.evaluate(
      'document.querySelectorAll("[data-rule]:last-child [aria-label^=\\"Remove the condition\\"]").forEach((each) => each.click())',
    );
    await until(
      page,
      '!document.querySelector("[data-rule]:last-child [aria-label^=\\"Remove the condition\\"]")',
    );
    await page.evaluate('document.querySelector("[data-rule]:first-child details").open = false');
    await pick(page, 'Share of visitors');
    await page.evaluate('document.querySelector("[data-rule]:last-child summary").focus()');
    await page.press('ArrowUp', { alt: true });
    await until(page, 'document.querySelector("[data-rule]").innerText.includes("Half")');
    assert.ok(await page.evaluate('document.activeElement.innerText.includes("Half")'), 'keeps the focus');

    await openFold(page, 'Try it');
    await choose(page, 'Its country', 'Austria');
    await shows(page, '50%: Rule 1, Half');
    await shows(page, '50%: Rule 2, Austria');
    await choose(page, 'Device of the visitor', 'OTHER');
    await shows(page, '50%: The link itself');
    await shows(page, 'It is for iPhones and iPads.');
    await page.evaluate('document.querySelector("[name=deepLinkPath]").focus()');
    await assertSound(page, DEVICES.desktop, 'link-rules');

    await press(page, 'Make link');
    await until(page, '/\\/links\\/(?!new)[^/]{3,}$/.test(location.pathname)');
    const code = await page.evaluate<string>('location.pathname.split("/").at(-1)');
    const stored = async () =>
      (await (await fetch(`${scene.url}/v1/links/${code}`, { headers })).json()) as {
        readonly path: string | null;
        readonly rules: readonly object[];
      };
    const { path, rules } = await stored();
    assert.equal(path, 'summer/sale');
    assert.deepEqual(rules, [
      { name: 'Half', when: { percent: 50 }, then: { iosDestination: 'https://shop.example/at' } },
      {
        name: 'Austria',
        when: { platform: 'IOS', country: ['AT'] },
        then: { iosDestination: 'https://shop.example/at' },
      },
    ]);
    await shows(page, 'iPhones and iPads in Austria go to shop.example/at.');
    await assertSound(page, DEVICES.desktop, 'link-with-rules');

    await goOn(page, at(`links/${code}/edit`));
    await until(page, 'document.querySelector("[name=path]")');
    await write(page, 'path', ' ');
    await shows(page, 'Is it printed?');
    await press(page, 'Keep it');
    await press(page, 'Save');
    await until(page, `location.pathname.endsWith('/links/${code}')`);
    assert.deepEqual((await stored()).rules, rules);

    const patch = { passPath: true, rules: [{ ...rules[0], when: {} }] };
    await fetch(`${scene.url}/v1/links/${code}`, { method: 'PATCH', headers, body: JSON.stringify(patch) });
    const tap = { headers: { 'user-agent': SAFARI, accept: 'text/html' }, redirect: 'manual' as const };
    await fetch(`${scene.url}/l/${code}/size-42`, tap);
    const clicks = `${scene.url}/v1/clicks?shortCode=${code}`;
    const click = await waitFor(
      'the click',
      async () => ((await (await fetch(clicks, { headers })).json()) as { id: string }[])[0],
    );
    await goOn(page, at('clicks'));
    await until(page, 'document.querySelector("tbody tr").innerText.includes("Half")');
    await goOn(page, at(`clicks/${click.id}`));
    await shows(page, '/size-42');

    const narrow = await visitConsole(browser, { url: at(`links/${code}/edit`), cookie, device: NARROW });
    await until(narrow, 'document.querySelector("[data-rule]")');
    await narrow.evaluate(
      'document.querySelectorAll("main details").forEach((each) => { each.open = true; })',
    );
    await assertSound(narrow, NARROW, 'link-rules-narrow');
  });
});
