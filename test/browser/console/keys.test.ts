/** Keys and the audit log in the console. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, useBrowser } from '../../helpers/browser.ts';
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

const browser = await useBrowser();
const MAIN = 'document.querySelector("main").innerText';
const DIALOG = '(document.querySelector("[role=dialog]")?.innerText ?? "")';

describe('keys and the audit log in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = (path: string, device?: typeof NARROW) =>
    visitConsole(browser, {
      url: `${scene.url}/console/${scene.appId}/${path}`,
      cookie,
      ...(device !== undefined && { device }),
    });

  async function call(method: string, path: string, body?: object) {
    const answer = await fetch(scene.url + path, {
      method,
      headers: {
        cookie,
        'x-app-id': scene.appId,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    assert.ok(answer.ok, await answer.clone().text());
    return answer;
  }
  const opens = async (key: string) =>
    (await fetch(`${scene.url}/v1/links`, { headers: { 'x-api-key': key } })).status;

  it('a key is made with a name, renamed, rotated beside the old one and revoked by its name; a secret is shown once', async () => {
    await call('POST', '/v1/keys', { kind: 'live_publishable' });
    const page = await visit('keys');
    const row = (name: string) =>
      `[...document.querySelectorAll('tbody tr')].find((one) => one.innerText.includes('${name}'))`;
    const choose = async (name: string, item: string) => {
      await until(page, row(name));
      await page.evaluate(`${row(name)}.querySelector('button[aria-label^="Change "]').click()`);
      await until(
        page,
        `[...document.querySelectorAll('[role=menuitem]')].some((one) => one.innerText.startsWith('${item}'))`,
      );
      await page.evaluate(
        `[...document.querySelectorAll('[role=menuitem]')].find((one) => one.innerText.startsWith('${item}')).click()`,
      );
      await until(page, 'document.querySelector("[role=dialog]")');
    };
    await press(page, 'New key');
    await until(page, 'document.querySelector("[role=menuitem]")');
    await page.evaluate('document.querySelector("[role=menuitem]").click()');
    await until(page, 'document.querySelector("[role=dialog] [name=name]")');
    await write(page, 'name', 'Billing');
    await page.press('Enter');
    await until(page, `${DIALOG}.includes("shown this once")`);
    const first = await page.evaluate<string>('document.querySelector("[role=dialog] code").innerText');
    assert.equal(await opens(first), 200);
    await press(page, 'Done');
    await until(page, row('Billing'));
    assert.ok(!(await page.evaluate<string>(MAIN)).includes(first));
    assert.match(await page.evaluate<string>(`${row('Billing')}.innerText`), new RegExp(USER.email));

    await choose('Billing', 'Rename');
    await write(page, 'name', 'Invoices');
    await page.press('Enter');
    await choose('Invoices', 'Rotate');
    await assertSound(page, DEVICES.desktop, 'rotate-key');
    await press(page, 'Rotate Invoices');
    await until(page, `${DIALOG}.includes("shown this once")`);
    const second = await page.evaluate<string>('document.querySelector("[role=dialog] code").innerText');
    assert.notEqual(second, first);
    assert.deepEqual([await opens(first), await opens(second)], [200, 200]);
    await press(page, 'Done');
    await until(page, `${MAIN}.includes('ends ')`);
    await choose('ends ', 'Change when');
    await press(page, 'End Invoices now');
    await until(page, `${MAIN}.includes('ended ')`);
    assert.equal(await opens(first), 401);
    await choose('Invoices', 'Revoke');
    assert.match(await page.evaluate(DIALOG), /Servers that call the API with it are refused/);
    await press(page, 'Revoke Invoices');
    await until(page, `${MAIN}.includes('revoked ')`);
    assert.equal(await opens(second), 401);
    assert.match(await page.evaluate(MAIN), /svc_live_pub_us_\w{28}/, 'publishable keys are shown');
    await assertSound(page, DEVICES.desktop, 'keys-ended');
    await assertSound(await visit('keys', NARROW), NARROW, 'keys-narrow');
  });

  it('an entry is a sentence with what changed, leads to its record, and filters by author, action and day in the address', async () => {
    await call('PATCH', '/v1/app', { name: 'Store' });
    await call('PATCH', '/v1/links/autumn', { campaignId: 'fall' });
    const page = await visit('audit-log');
    await until(page, `${MAIN}.includes('renamed the app from')`);
    const text = await page.evaluate<string>(MAIN);
    assert.ok(text.includes(`${USER.name} changed the link /autumn`), text);
    assert.match(text, /Campaign [\s\S]*fall/);
    assert.doesNotMatch(text, /[{}]|recordId|[\da-f]{8}-[\da-f]{4}/);
    const link = `[...document.querySelectorAll('main a')].find((one) => one.innerText === '/autumn').pathname`;
    assert.match(await page.evaluate(link), /\/links\/autumn$/);
    await page.evaluate(`document.querySelector('[aria-label="Only what ${USER.name} did"]').click()`);
    await until(page, 'new URLSearchParams(location.search).has("actor")');
    await page.evaluate(`document.querySelector('[aria-label="Only app.updated"]').click()`);
    await until(page, `document.querySelectorAll('main ol > li').length === 1`);
    assert.match(
      await page.evaluate('location.search'),
      /action=app.updated.*actor=|actor=.*action=app.updated/,
    );
    const day = await visit('audit-log?to=2020-01-01', NARROW);
    await until(day, `${MAIN}.includes('No entry fits')`);
    await press(day, 'Remove all filters');
    await until(day, `document.querySelectorAll('main ol > li').length > 1`);
    await assertSound(day, NARROW, 'audit-log-narrow');
  });

  it('the log is exported as the filters say', async () => {
    const page = await visit('audit-log?action=app.updated');
    await until(page, 'document.querySelector("main ol > li")');
    await page.evaluate(`{
      const original = URL.createObjectURL;
      URL.createObjectURL = (blob) => { blob.text().then((text) => { window.saved = text; }); return original(blob); };
    }`);
    await press(page, 'Export');
    await until(page, 'document.querySelector("[role=menuitem]")');
    await page.evaluate('document.querySelector("[role=menuitem]").click()');
    await until(page, 'window.saved');
    const lines = (await page.evaluate<string>('window.saved')).trimEnd().split('\n');
    assert.match(lines[0] ?? '', /^id,action,createdAt,actorType/);
    assert.ok(lines.length > 1 && lines.slice(1).every((line) => line.includes('app.updated')));
  });
});
