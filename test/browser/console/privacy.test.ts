/** Privacy in the console: what would be erased, whom it touches, and the requests that stay. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findViolations } from '../../helpers/browser/accessibility.ts';
import { DEVICES, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  signInFirst,
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();
const text = '(document.querySelector("main")?.innerText ?? "")';
const ADDRESS = '198.51.100.7';

describe('privacy in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  let page: Page;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
    page = await visitConsole(browser, { url: `${scene.url}/console/${scene.appId}/privacy`, cookie });
  });
  after(async () => {
    browser.closePages();
    await scene?.end();
  });

  const has = (words: string) => until(page, `${text}.includes(${JSON.stringify(words)})`);

  it('says that nothing is found, and then there is nothing to press', async () => {
    await has('How long records are kept');
    await has('90 days');
    await has('None yet');
    await write(page, 'userId', 'nobody-17');
    await press(page, 'Find the records');
    await has('The app holds no records of nobody-17');
    assert.doesNotMatch(await page.evaluate<string>(text), /Erase …|Export …/);
    assert.deepEqual(await findViolations(page), []);
  });

  it('counts by kind, warns before an export, names the person and the loss, and lists the request as done', async () => {
    await write(page, 'userId', '');
    await write(page, 'ipAddress', ADDRESS);
    assert.doesNotMatch(await page.evaluate<string>(text), /holds no records/);
    await press(page, 'Find the records');
    await has(`Found of ${ADDRESS}`);
    assert.match(await page.evaluate<string>(text), /Clicks\s+2\s+0\s+Installs\s+1\s+0/);
    await press(page, 'Export …');
    await until(
      page,
      'document.querySelector("[role=dialog]")?.innerText.includes("Have you checked who they are?")',
    );
    assert.deepEqual(await findViolations(page), []);
    await press(page, 'Download as JSON');
    await until(page, 'document.querySelector("[aria-label=Export]")?.innerText.match(/Saved[^]*4 rows/)');
    await press(page, 'Close');
    await press(page, 'Erase …');
    await until(
      page,
      'document.querySelector("[role=dialog]")?.innerText.includes("2 clicks, 1 install, and 1 event lose")',
    );
    assert.deepEqual(await findViolations(page), []);
    await press(page, `Erase ${ADDRESS}`);
    await until(
      page,
      '/Done .*\\s+2 clicks, 1 install, and 1 event/.test(document.querySelector("main").innerText)',
    );
    assert.doesNotMatch(await page.evaluate<string>(text), /Found of/);
    await page.evaluate('location.reload()');
    await has('2 clicks, 1 install, and 1 event');
  });

  for (const [name, device] of [
    ['desktop', DEVICES.desktop],
    ['narrow', NARROW],
  ] as const)
    it(`breaks no rule of access and fits its screen: ${name}`, async () => {
      const url = `${scene.url}/console/${scene.appId}/privacy`;
      page = await visitConsole(browser, { url, cookie, device });
      await has('2 clicks, 1 install, and 1 event');
      await write(page, 'ipAddress', '198.51.100.8');
      await press(page, 'Find the records');
      await has('Found of 198.51.100.8');
      await assertSound(page, device, `privacy-${name}`);
    });
});
