/** People in the console: the team and its invitations, and the page of the own account. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { DEVICES, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  SAFARI,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();
/** At this moment the page is parsed, and no module has run. */
const NOTE_THEME = `document.addEventListener('readystatechange', () => {
  if (document.readyState === 'interactive') window.first = document.documentElement.dataset.theme;
});`;

describe('people in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let operator: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    operator = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = (path: string) =>
    visitConsole(browser, { url: `${scene.url}/console/${path}`, cookie: operator });

  async function post(path: string, body: object, cookie = operator) {
    const answer = await fetch(scene.url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', cookie, 'x-app-id': scene.appId },
      body: JSON.stringify(body),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer;
  }

  /** @returns the cookie of the new member. */
  async function invite(email: string, role = 'viewer', name = 'Second'): Promise<string> {
    const { url } = (await (await post('/v1/invitations', { email, role })).json()) as { url: string };
    const token = new URL(url).hash.slice(1);
    const joined = await post('/v1/invitations/accept', { token, name, password: USER.password }, '');
    return joined.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  }

  it('an operator makes an address for a new password, which its page takes', async () => {
    await invite('forgetful@shop.example');
    const page = await visit(`${scene.appId}/operator?tab=users`);
    await until(page, 'document.body.innerText.includes("forgetful@shop.example")');
    const row = '[...document.querySelectorAll("tr")].find((one) => one.innerText.includes("forgetful@"))';
    await page.evaluate(`[...${row}.querySelectorAll("button")].at(-1).click()`);
    await until(page, 'document.querySelector("[role=status] code")');
    assert.deepEqual(await findViolations(page), []);
    const address = await page.evaluate<string>('document.querySelector("[role=status] code").innerText');
    const door = await visitConsole(browser, { url: address, cookie: '' });
    await until(door, 'document.querySelector("[name=password]")');
    assert.deepEqual(await findViolations(door), []);
    await write(door, 'password', 'quite another password');
    await press(door, 'Set the password');
    await until(door, 'document.querySelector("h1")?.innerText === "Overview"');
  });

  it('who forgot the password reads what to do where the service sends no mails', async () => {
    const page = await visitConsole(browser, { url: `${scene.url}/console/sign-in`, cookie: '' });
    await until(
      page,
      '[...document.querySelectorAll("a")].some((each) => each.innerText === "Forgot your password?")',
    );
    await page.evaluate(
      '[...document.querySelectorAll("a")].find((each) => each.innerText === "Forgot your password?").click()',
    );
    await until(page, 'document.body.innerText.includes("Ask an operator")');
    assert.deepEqual(await findViolations(page), []);
  });

  it('the role menu changes nothing before it is confirmed, and says what each role may do', async () => {
    const cookie = await invite('leaving@shop.example', 'owner', 'Leaving');
    const answer = await post('/v1/keys', { kind: 'live' }, cookie);
    const first = (await answer.json()) as { key: string; hint: string };
    const statusOf = async (key: string) =>
      (await fetch(`${scene.url}/v1/links`, { headers: { 'x-api-key': key } })).status;
    const page = await visit(`${scene.appId}/team`);
    await until(page, 'document.body.innerText.includes("leaving@shop.example")');
    const button = (role: string) => `document.querySelector('[aria-label="Role of Leaving: ${role}"]')`;
    const dialog = 'document.querySelector("[role=dialog]")';
    await page.evaluate(`${button('owner')}.focus()`);
    for (const key of ['ArrowDown', 'ArrowDown', 'ArrowDown', 'ArrowUp', 'ArrowUp'] as const) {
      await page.press(key);
      await until(page, 'document.querySelectorAll("[role=menuitem]").length === 3');
    }
    const words = await page.evaluate<string>('document.querySelector("[role=menu]").innerText');
    for (const part of ['Changes nothing', 'erases a person’s data for good', 'keys and its team'])
      assert.ok(words.includes(part), words);
    await page.press('Escape');
    await until(page, '!document.querySelector("[role=menu]")');
    assert.ok(await page.evaluate(`${dialog} === null && ${button('owner')} !== null`));
    const pick = async (name: string) => {
      await page.press('Enter');
      await until(page, 'document.querySelectorAll("[role=menuitem]").length === 3');
      await page.evaluate(
        `[...document.querySelectorAll('[role=menuitem]')].find((each) => each.innerText.startsWith('${name}')).click()`,
      );
      await until(page, dialog);
    };
    await page.evaluate(`${button('owner')}.focus()`);
    await pick('Viewer');
    for (const part of ['no longer', 'erase it for good', 'make and revoke keys', first.hint])
      assert.ok((await page.evaluate<string>(`${dialog}.innerText`)).includes(part), part);
    assert.deepEqual(await findViolations(page), []);
    await press(page, 'Leave it');
    await until(page, `!${dialog} && ${button('owner')}`);
    const roles = await fetch(`${scene.url}/v1/users`, {
      headers: { cookie: operator, 'x-app-id': scene.appId },
    });
    assert.ok(
      ((await roles.json()) as { email: string; role: string }[]).some(
        ({ email, role }) => email === 'leaving@shop.example' && role === 'owner',
      ),
    );
    await page.evaluate(`${button('owner')}.focus()`);
    await pick('Editor');
    await page.evaluate(`${dialog}.querySelector('[type=checkbox]').click()`);
    await press(page, 'Make an editor');
    await until(page, `!${dialog} && ${button('editor')}`);
    assert.equal(await statusOf(first.key), 200);
    await page.evaluate(`[...${button('editor')}.closest('tr').querySelectorAll('button')].at(-1).click()`);
    await until(page, `${dialog}?.querySelector('[type=checkbox]')`);
    await press(page, 'Remove Leaving');
    await until(page, '!document.body.innerText.includes("leaving@shop.example")');
    assert.equal(await statusOf(first.key), 401);
  });

  it('an invitation says to which app, by whom and in which role, to its reader and in the list', async () => {
    const { url } = (await (
      await post('/v1/invitations', { email: 'new@shop.example', role: 'editor' })
    ).json()) as {
      url: string;
    };
    const team = await visit(`${scene.appId}/team`);
    await until(team, `document.body.innerText.includes('by ${USER.name} (${USER.email})')`);
    const page = await visitConsole(browser, { url, cookie: '' });
    await until(page, 'document.querySelector("[name=name]")');
    const text = await page.evaluate<string>('document.querySelector("main").innerText');
    for (const part of [USER.name, USER.email, 'new@shop.example', 'Shoe shop', 'as an editor', 'erases'])
      assert.ok(text.includes(part), `${part}: ${text}`);
    assert.deepEqual(await findViolations(page), []);
    const other = await visitConsole(browser, { url, cookie: operator });
    await until(other, 'document.body.innerText.includes("Sign out to accept")');
    assert.deepEqual(await findViolations(other), []);
  });

  it('who has an account accepts after signing in, without opening the address again', async () => {
    const other = await scene.makeApp('Second shop');
    await invite('both@shop.example', 'viewer', 'Both');
    const body = JSON.stringify({ email: 'both@shop.example', role: 'viewer' });
    const headers = { 'content-type': 'application/json', cookie: operator, 'x-app-id': other };
    const made = await fetch(`${scene.url}/v1/invitations`, { method: 'POST', headers, body });
    const { url } = (await made.json()) as { url: string };
    const page = await visitConsole(browser, { url, cookie: '' });
    await until(page, 'document.body.innerText.includes("Sign in to accept")');
    await page.evaluate(
      '[...document.querySelectorAll("a")].find((each) => each.innerText === "Sign in to accept").click()',
    );
    await until(page, 'document.querySelector("[name=password]")');
    assert.equal(await page.evaluate('sessionStorage.length'), 1);
    assert.ok(!(await page.evaluate<string>('location.href')).includes(new URL(url).hash.slice(1)));
    await write(page, 'email', 'both@shop.example');
    await write(page, 'password', USER.password);
    await page.press('Enter');
    await until(
      page,
      '[...document.querySelectorAll("button")].some((each) => each.innerText === "Accept the invitation")',
    );
    await press(page, 'Accept the invitation');
    await until(page, 'document.querySelector("h1")?.innerText === "Set-up"');
  });

  const accountUrl = () => `${scene.url}/console/${scene.appId}/account`;
  const isOpen = async (cookie: string) =>
    (await fetch(`${scene.url}/v1/session`, { headers: { cookie } })).status === 200;
  async function signIn(email: string, password: string, agent = 'curl/8.5.0'): Promise<string> {
    const answer = await fetch(`${scene.url}/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'user-agent': agent },
      body: JSON.stringify({ email, password }),
    });
    return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
  }

  it('fits 320 pixels and a desktop, and breaks no rule of access', async () => {
    for (const [name, device] of [
      ['narrow', NARROW],
      ['desktop', DEVICES.desktop],
    ] as const) {
      const page = await visitConsole(browser, { url: accountUrl(), cookie: operator, device });
      await until(page, 'document.body.innerText.includes("this one")');
      await assertSound(page, device, `account-${name}`);
    }
  });

  it('sessions have words for browser and system; one ends, then all others', async () => {
    const own = await invite('sessions@shop.example');
    const phone = await signIn('sessions@shop.example', USER.password, SAFARI);
    const tool = await signIn('sessions@shop.example', USER.password);
    const page = await visitConsole(browser, { url: accountUrl(), cookie: own });
    await until(page, 'document.querySelectorAll("tbody tr").length === 3');
    const text = await page.evaluate<string>('document.querySelector("tbody").innerText');
    assert.match(text, /curl 8\s[\s\S]*Safari 18 on iOS[\s\S]*this one/);
    await page.evaluate(
      `[...document.querySelectorAll('tbody tr')].find((each) => each.innerText.includes('Safari')).querySelector('button').click()`,
    );
    await until(page, 'document.querySelectorAll("tbody tr").length === 2');
    assert.deepEqual([await isOpen(phone), await isOpen(tool), await isOpen(own)], [false, true, true]);
    await press(page, 'End all others');
    await until(page, 'document.querySelector("[role=dialog]")');
    await press(page, 'End all others');
    await until(page, 'document.querySelectorAll("tbody tr").length === 1');
    assert.deepEqual([await isOpen(tool), await isOpen(own)], [false, true]);
  });

  it('a password is changed with the present one, and ends the other sessions', async () => {
    const own = await invite('password@shop.example');
    const other = await signIn('password@shop.example', USER.password);
    const page = await visitConsole(browser, { url: accountUrl(), cookie: own });
    await until(page, 'document.querySelector("[name=current]")');
    for (const [current, words] of [
      ['not the password', 'wrong'],
      [USER.password, 'is changed'],
    ] as const) {
      await write(page, 'current', current);
      await write(page, 'password', 'quite another password');
      await press(page, 'Change the password');
      await until(page, `document.querySelector('form').innerText.includes('${words}')`);
    }
    assert.equal(await isOpen(other), false);
    assert.ok(await isOpen(await signIn('password@shop.example', 'quite another password')));
  });

  it('the theme is the chosen one before the first paint, kept in the browser, and else that of the system', async () => {
    const page = await visitConsole(browser, {
      url: accountUrl(),
      cookie: operator,
      setting: { colorScheme: 'light' },
      scripts: NOTE_THEME,
    });
    const ground = () => page.evaluate<string>('getComputedStyle(document.documentElement).backgroundColor');
    const [light, scheme] = [await ground(), 'getComputedStyle(document.documentElement).colorScheme'];
    assert.equal(await page.evaluate('window.first'), 'light');
    const choose = async (name: string) => {
      await page.evaluate(`document.querySelector('[aria-label^="Theme:"]').click()`);
      await until(page, 'document.querySelectorAll("[role=menuitemradio]").length === 3');
      await page.evaluate(
        `[...document.querySelectorAll('[role=menuitemradio]')].find((each) => each.innerText.startsWith('${name}')).click()`,
      );
      await until(page, `document.querySelector('[aria-label="Theme: ${name}"]')`);
    };
    await choose('Dark');
    assert.notEqual(await ground(), light);
    await page.goto(`${scene.url}/console/${scene.appId}/account`);
    await until(page, 'document.querySelector("h1")');
    assert.deepEqual([await page.evaluate('window.first'), await page.evaluate(scheme)], ['dark', 'dark']);
    assert.deepEqual(await page.evaluate('refused'), []);
    await until(page, `document.querySelector('[aria-label="Theme: Dark"]')`);
    await choose('As the system');
    assert.equal(await ground(), light);
  });

  it('a member leaves the app, and is told what goes with it', async () => {
    const own = await invite('going@shop.example');
    const page = await visitConsole(browser, { url: accountUrl(), cookie: own });
    const button = `[...document.querySelectorAll('button')].find((each) => each.innerText.startsWith('Leave'))`;
    await until(page, button);
    await page.evaluate(`${button}.click()`);
    await until(
      page,
      'document.querySelector("[role=dialog]")?.innerText.includes("the account is deleted")',
    );
    await page.evaluate(`[...document.querySelectorAll('[role=dialog] button')].at(-1).click()`);
    await until(page, 'document.querySelector("h1")?.innerText === "Sign in to Throughline"');
    assert.equal(await isOpen(own), false);
  });

  it('the last operator who deletes the account is told why not', async () => {
    const page = await visitConsole(browser, { url: accountUrl(), cookie: operator });
    await until(page, 'document.body.innerText.includes("this one")');
    await press(page, 'Delete the account');
    await until(page, 'document.querySelector("[role=dialog]")');
    await press(page, 'Delete the account');
    await until(
      page,
      'document.querySelector("[role=dialog] [role=alert]")?.innerText.includes("Make another")',
    );
    assert.ok(await isOpen(operator));
  });
});
