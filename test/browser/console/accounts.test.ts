/** How people come to the console, below a path: set-up, invitations, roles and failures. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { DEVICES, type Page, useBrowser } from '../../helpers/browser.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  USER,
  until,
  write,
} from '../../helpers/console-scene.ts';
import { neutralEngines } from '../../helpers/engines.ts';

const browser = await useBrowser();
/** Answers every call of the API with an outage while `failing` is true. */
const OUTAGE = `
  const ask = fetch;
  window.fetch = async (request) => window.failing
    ? new Response('{"error":"The database does not answer."}', {
        status: 503, headers: { 'X-Service-Error': 'database.unavailable', 'X-Request-Id': 'request-7' } })
    : await ask(request);`;

for (const engine of neutralEngines)
  describe(`the console below a path on ${engine}`, { skip: browser.missing }, () => {
    let scene: ConsoleScene;
    before(async () => {
      scene = await openConsoleScene(engine, '/tools/links');
    });
    afterEach(() => browser.closePages());
    after(() => scene?.end());

    async function open(url: string): Promise<Page> {
      const page = await browser.open(DEVICES.desktop);
      await page.beforeScripts(OUTAGE);
      await page.goto(url);
      return page;
    }

    /** The page after the set-up of a user of its own. */
    async function setUp(email: string): Promise<Page> {
      const page = await open(await scene.makeSetupUrl());
      await until(page, 'document.querySelector("[name=name]")');
      assert.deepEqual(await findViolations(page), []);
      await write(page, 'name', USER.name);
      await write(page, 'email', email);
      await write(page, 'password', USER.password);
      await page.press('Enter');
      await until(page, 'document.querySelector("h1")?.innerText === "Overview"');
      return page;
    }

    it('the set-up makes an account and shows the overview; signing out ends the session', async () => {
      const page = await setUp('first@shop.example');
      assert.ok((await page.evaluate<string>('location.pathname')).startsWith('/tools/links/console/'));
      await page.evaluate(`document.querySelector('[aria-label="Account: ${USER.name}"]').focus()`);
      await page.press('Enter');
      await until(page, 'document.querySelector("[role=menuitem]")');
      await page.evaluate('[...document.querySelectorAll("[role=menuitem]")].at(-1).click()');
      await until(page, 'document.querySelector("h1")?.innerText === "Sign in to Throughline"');
    });

    it('the address that somebody opens signed out is the page after the sign-in, also on the next load', async () => {
      const page = await setUp('early@shop.example');
      const path = `/tools/links/console/${scene.appId}/installs?campaignId=x%26y&from=2026-01-01T00%3A00%3A00Z#row`;
      await page.evaluate(
        `fetch(new Request('${scene.url}/v1/session', { method: 'DELETE' })).then(() => null)`,
      );
      await page.goto(`${new URL(path, scene.url)}`);
      await until(page, 'document.querySelector("h1")?.innerText === "Sign in to Throughline"');
      await write(page, 'email', 'early@shop.example');
      await write(page, 'password', USER.password);
      await page.press('Enter');
      await until(page, 'document.querySelector("h1")?.innerText.startsWith("Installs")');
      assert.equal(await page.evaluate('location.pathname + location.search + location.hash'), path);
      await page.goto(`${new URL(path, scene.url)}`);
      await until(page, 'document.querySelector("h1")?.innerText.startsWith("Installs")');
    });

    it('an address that no page has says so within the frame, and who may more', async () => {
      const page = await setUp('lost@shop.example');
      for (const [path, words] of [
        [`${scene.appId}/nothing`, 'other roles'],
        ['no-app-has-this-id', 'no member of the app'],
        [`${scene.appId}/links/autumn/nothing`, 'other roles'],
      ] as const) {
        await page.goto(`${scene.url}/console/${path}`);
        await until(
          page,
          `document.querySelector('main h1') && document.body.innerText.includes('${words}')`,
        );
        assert.deepEqual(await findViolations(page), [], path);
      }
    });

    it('an invited viewer sees numbers, but no keys and no buttons that change anything', async () => {
      const owner = await setUp('owner@shop.example');
      await owner.goto(`${scene.url}/console/${scene.appId}/team`);
      await until(owner, 'document.querySelector("[name=email]")');
      await write(owner, 'email', 'viewer@shop.example');
      await press(owner, 'Make invitation');
      await until(owner, 'document.querySelector("[role=status] code")');
      const address = await owner.evaluate<string>('document.querySelector("[role=status] code").innerText');
      const page = await open(address);
      await until(page, 'document.querySelector("[name=name]")');
      assert.deepEqual(await findViolations(page), []);
      await write(page, 'name', 'Viewer');
      await write(page, 'password', USER.password);
      await page.press('Enter');
      await until(page, 'document.querySelector("h1")?.innerText === "Overview"');
      await page.goto(`${scene.url}/console/${scene.appId}/links`);
      await until(page, 'document.body.innerText.includes("/autumn")');
      assert.ok(!(await page.evaluate<string>('document.body.innerText')).includes('Make link'));
      await page.goto(`${scene.url}/console/${scene.appId}/keys`);
      await until(page, 'document.body.innerText.includes("Your role does not include this")');
      assert.deepEqual(await findViolations(page), []);
    });

    it('a failed read says code and request, keeps what was read before, and can be tried again', async () => {
      const page = await setUp('patient@shop.example');
      await page.goto(`${scene.url}/console/${scene.appId}/set-up`);
      await until(page, 'document.body.innerText.includes("of 9 done")');
      await page.evaluate('window.failing = true');
      await press(page, 'Check now');
      await until(page, 'document.querySelector("[role=alert]")?.innerText.includes("No answer")');
      const text = await page.evaluate<string>('document.querySelector("main").innerText');
      for (const part of ['of 9 done', 'database.unavailable', 'request-7', 'The app in the stores'])
        assert.ok(text.includes(part), `${part}: ${text}`);
      assert.deepEqual(await findViolations(page), []);
      await page.evaluate('window.failing = false');
      await press(page, 'Try again');
      await until(page, '!document.querySelector("[role=alert]")');
    });
  });
