/** The team and the passwords of its members in the console. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { useBrowser } from '../../helpers/browser.ts';
import { visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  signInFirst,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();

describe('the team in the console', { skip: browser.missing }, () => {
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

  it('who forgot the password asks for a mail, and reads when the service sends none', async () => {
    const page = await visitConsole(browser, { url: `${scene.url}/console/password-reset`, cookie: '' });
    await until(page, 'document.querySelector("[name=email]")');
    await write(page, 'email', 'forgetful@shop.example');
    await press(page, 'Mail me an address');
    await until(page, 'document.querySelector("[role=status]").innerText.includes("An operator")');
    assert.deepEqual(await findViolations(page), []);
  });

  it('removing or demoting an owner offers to revoke the keys that this owner made', async () => {
    const cookie = await invite('leaving@shop.example', 'owner', 'Leaving');
    const answer = await post('/v1/keys', { kind: 'live' }, cookie);
    const first = (await answer.json()) as { key: string; hint: string };
    const statusOf = async (key: string) =>
      (await fetch(`${scene.url}/v1/links`, { headers: { 'x-api-key': key } })).status;
    const page = await visit(`${scene.appId}/team`);
    await until(page, 'document.body.innerText.includes("leaving@shop.example")');
    const row = '[...document.querySelectorAll("tr")].find((one) => one.innerText.includes("leaving@"))';
    await page.evaluate(`{
      const select = ${row}.querySelector('select');
      select.value = 'editor';
      select.dispatchEvent(new Event('change', { bubbles: true }));
    }`);
    await until(page, 'document.querySelector("[role=dialog] [type=checkbox]")?.checked');
    assert.deepEqual(await findViolations(page), []);
    assert.ok(
      (await page.evaluate<string>('document.querySelector("[role=dialog]").innerText')).includes(first.hint),
    );
    await page.evaluate('document.querySelector("[role=dialog] [type=checkbox]").click()');
    await press(page, 'Change role');
    await until(
      page,
      `!document.querySelector("[role=dialog]") && ${row}.querySelector('select').value === 'editor'`,
    );
    assert.equal(await statusOf(first.key), 200);
    await page.evaluate(`[...${row}.querySelectorAll("button")].at(-1).click()`);
    await until(page, 'document.querySelector("[role=dialog] [type=checkbox]")');
    await press(page, 'Remove Leaving');
    await until(page, '!document.body.innerText.includes("leaving@shop.example")');
    assert.equal(await statusOf(first.key), 401);
  });
});
