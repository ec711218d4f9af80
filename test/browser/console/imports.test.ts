/** Imports of links in the console. */
import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { DEVICES, type Device, type Page, useBrowser } from '../../helpers/browser.ts';
import { assertSound, goOn, NARROW, visitConsole } from '../../helpers/console-pages.ts';
import {
  type ConsoleScene,
  openConsoleScene,
  press,
  signInFirst,
  until,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();

describe('imports in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = (path: string, device: Device = DEVICES.desktop) =>
    visitConsole(browser, { url: `${scene.url}/console/${scene.appId}/${path}`, cookie, device });
  const choose = async (page: Page, text: string, name = 'links.csv') =>
    await page.evaluate(`(() => {
      const files = new DataTransfer();
      files.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)}));
      const field = document.querySelector('input[type=file]');
      field.files = files.files;
      field.dispatchEvent(new Event('change', { bubbles: true }));
    })()`);
  const shows = (page: Page, text: string) =>
    until(page, `document.body.innerText.includes(${JSON.stringify(text)})`);
  const pick = (page: Page, source: string) =>
    page.evaluate(`document.querySelector('input[value=${source}]').click()`);

  it('a file is tried, its rows shown with their reasons, and imported from there: a printed address then leads on', async () => {
    const page = await visit('links/import');
    await pick(page, 'csv');
    await choose(page, 'PK\u0003\u0004 workbook', 'links.xlsx');
    await shows(page, 'ZIP archive or an Excel workbook');
    await choose(page, '');
    await shows(page, 'is empty');
    const bitly =
      '{"id":"go.example.com/a","link":"https://go.example.com/a","long_url":"https://a.example/","custom_bitlinks":[],"archived":false}\n';
    await choose(page, bitly, 'links.json');
    await shows(page, 'A file of Bitly');
    await press(page, 'Read it as Bitly');
    await until(page, 'document.querySelector("input[value=bitly]").checked');
    await shows(page, 'Try the import');
    await pick(page, 'csv');
    const rows = [
      'winter-sale;https://shop.example/winter;Winter;3',
      'a/b;https://shop.example/b;;',
      'autumn;https://other.example/;;',
    ];
    await choose(page, `Kurz;Ziel;Title;Internal\r\n${rows.join('\r\n')}\r\n`);
    await shows(page, 'Still needed: Short link or Path of the short link; Destination or Path in the app');
    await assertSound(page, DEVICES.desktop, 'import-columns');
    for (const [column, field] of [
      ['Kurz', 'path'],
      ['Ziel', 'fallbackUrl'],
    ])
      await page.evaluate(`(() => {
        const select = document.querySelector('[aria-label="${column} becomes"]');
        Object.getOwnPropertyDescriptor(HTMLSelectElement.prototype, 'value').set.call(select, '${field}');
        select.dispatchEvent(new Event('change', { bubbles: true }));
      })()`);
    await press(page, 'Try the import');
    await shows(page, '1 link can be imported, 2 rows cannot.');
    await shows(page, 'no short link host of its own');
    await shows(page, 'conflict');
    assert.equal((await fetch(`${scene.url}/l/winter-sale`, { redirect: 'manual' })).status, 404);
    const trial = await page.evaluate<string>('location.href');
    await assertSound(page, DEVICES.desktop, 'import-dry-run');
    await assertSound(
      await visit(new URL(trial).pathname.split('/').slice(3).join('/'), NARROW),
      NARROW,
      'import-dry-run-narrow',
    );
    await press(page, 'Import 1 link');
    await shows(page, '1 link imported, 2 rows not.');
    await shows(page, 'Rehearse');
    assert.notEqual(await page.evaluate('location.href'), trial);
    const tap = await fetch(`${scene.url}/l/winter-sale`, { redirect: 'manual' });
    assert.equal(tap.headers.get('location'), 'https://shop.example/winter');
    await assertSound(page, DEVICES.desktop, 'import-done');
    await goOn(page, trial);
    await shows(page, 'Choose the file again');
    await goOn(page, `${scene.url}/console/${scene.appId}/links/import`);
    await shows(page, '1 imported, 1 in conflict, 1 not possible');
    await assertSound(page, DEVICES.desktop, 'imports');
    await assertSound(await visit('links/import', NARROW), NARROW, 'imports-narrow');
  });
});
