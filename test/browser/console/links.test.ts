/** Making links, and the list of them. */
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
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();

interface Stored {
  readonly shortCode: string;
  readonly deepLinkPath: string;
  readonly deepLinkParams: Record<string, unknown>;
  readonly campaignId: string | null;
  readonly fallbackUrl: string | null;
}

describe('links in the console', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  const visit = async (path: string, device: Device = DEVICES.desktop) =>
    await visitConsole(browser, { url: `${scene.url}/console/${scene.appId}/${path}`, cookie, device });
  const shows = (page: Page, text: string) =>
    until(page, `document.querySelector('main').innerText.includes(${JSON.stringify(text)})`);
  const fieldOf = (page: Page, name: string) =>
    page.evaluate<string>(`document.querySelector('[name=${name}]:not([type=hidden])').value`);
  const made = async (page: Page): Promise<Stored> => {
    await until(page, '/\\/links\\/(?!new)[^/]{3,}$/.test(location.pathname)');
    const code = await page.evaluate<string>('location.pathname.split("/").at(-1)');
    const headers = { cookie, 'x-app-id': scene.appId };
    return (await (await fetch(`${scene.url}/v1/links/${code}`, { headers })).json()) as Stored;
  };

  it('one field takes a path at once, takes addresses apart and offers paths without spaces before a link is made, and refuses the rest', async () => {
    const page = await visit('links');
    for (const { given, shown, button, path, fallbackUrl = null } of [
      { given: '/shoes/42', path: '/shoes/42' },
      { given: 'black friday', shown: 'No path has spaces', button: '/black-friday', path: '/black-friday' },
      {
        given: 'https://shop.example.com/sale?x=1',
        ...{ shown: '{ "x": "1" }', button: 'Make this link', path: '/sale' },
        fallbackUrl: 'https://shop.example.com/sale?x=1',
      },
      {
        given: 'notes.de/x',
        ...{ shown: 'https://notes.de/x', button: 'It is a path in the app', path: 'notes.de/x' },
      },
    ]) {
      await goOn(page, `${scene.url}/console/${scene.appId}/links`);
      await write(page, 'path', given);
      await page.press('Enter');
      if (shown !== undefined) {
        await shows(page, shown);
        await assertSound(page, DEVICES.desktop, 'quick-link');
        await press(page, button ?? '');
      }
      const link = await made(page);
      assert.deepEqual([link.deepLinkPath, link.fallbackUrl], [path, fallbackUrl]);
    }
    await goOn(page, `${scene.url}/console/${scene.appId}/links`);
    await write(page, 'path', 'mailto:ines@shop.example');
    await page.press('Enter');
    await until(page, 'document.querySelector("main [role=alert]")');
    assert.equal(await page.evaluate('document.querySelector("[name=path]").ariaInvalid'), 'true');
    const narrow = await visit('links', NARROW);
    await write(narrow, 'path', 'https://bücher.example/größe?utm_source=mail&gclid=1#top');
    await narrow.press('Enter');
    await shows(narrow, 'is written xn--bcher-kva.example');
    await assertSound(narrow, NARROW, 'quick-link-narrow');
  });

  it('the form takes an address apart, which can be undone, and writes UTM parameters into it with values used before', async () => {
    const page = await visit('links/new');
    const address = 'https://shop.example.com/sale?colour=red&utm_campaign=Spring';
    await write(page, 'deepLinkPath', address);
    await page.press('Tab');
    await shows(page, 'Taken apart');
    assert.deepEqual(
      [
        await fieldOf(page, 'deepLinkPath'),
        await fieldOf(page, 'fallbackUrl'),
        await fieldOf(page, 'campaignId'),
      ],
      ['/sale', address, 'Spring'],
    );
    await press(page, 'Undo');
    await until(page, `document.querySelector('[name=deepLinkPath]').value === ${JSON.stringify(address)}`);
    assert.deepEqual([await fieldOf(page, 'fallbackUrl'), await fieldOf(page, 'campaignId')], ['', '']);
    await write(page, 'deepLinkPath', `${address}#top`);
    await page.press('Tab');
    await shows(page, '#top stays in the address');
    await write(page, 'utm_source', 'news & more');
    await page.press('Escape');
    assert.equal(await fieldOf(page, 'utm_campaign'), 'Spring');
    await assertSound(page, DEVICES.desktop, 'link-form');
    await press(page, 'Make link');
    const link = await made(page);
    assert.deepEqual(
      [link.deepLinkPath, link.deepLinkParams, link.campaignId, link.fallbackUrl],
      ['/sale', { colour: 'red' }, 'Spring', `${address}&utm_source=news%20%26%20more#top`],
    );

    const narrow = await visit(
      `links/new?address=${encodeURIComponent('https://shop.example.com/b')}`,
      NARROW,
    );
    await shows(narrow, 'Taken apart');
    await write(narrow, 'utm_source', 'ne');
    await until(narrow, 'document.querySelector("[role=option]")');
    await narrow.press('ArrowDown');
    await narrow.press('Enter');
    assert.equal(await fieldOf(narrow, 'utm_source'), 'news & more');
    await write(narrow, 'campaignId', 'spr');
    await until(narrow, 'document.querySelector("[role=option]")?.innerText === "Spring"');
    await narrow.press('ArrowDown');
    await narrow.press('Enter');
    assert.equal(await fieldOf(narrow, 'campaignId'), 'Spring');
    await narrow.evaluate('scrollTo(0, 0)');
    await assertSound(narrow, NARROW, 'link-form-narrow');
    assert.match(await narrow.evaluate<string>('location.pathname'), /\/links\/new$/, 'Enter only picks');
  });

  it('a path with spaces is refused beside its field in the form', async () => {
    const page = await visit('links/new');
    await write(page, 'deepLinkPath', 'black friday');
    await press(page, 'Make link');
    await until(page, 'document.querySelector("[name=deepLinkPath]").ariaInvalid === "true"');
    await press(page, '/black%20friday');
    await until(page, 'document.querySelector("[name=deepLinkPath]").value === "/black%20friday"');
    await press(page, 'Make link');
    assert.equal((await made(page)).deepLinkPath, '/black%20friday');
  });

  it('the list is sorted by its heads, says the period of its counts, and duplicates a link with everything but its code', async () => {
    const page = await visit('links');
    await shows(page, 'Clicks and installs are those of all days.');
    await page.evaluate(
      `[...document.querySelectorAll('th a')].find((each) => each.innerText.startsWith('Clicks')).click()`,
    );
    await until(page, 'document.querySelector("[aria-sort=descending]")?.innerText.startsWith("Clicks")');
    await until(page, 'document.querySelector("tbody tr").innerText.includes("/autumn")');
    await page.evaluate(`document.querySelector('[aria-sort] a').click()`);
    await until(page, 'document.querySelector("[aria-sort=ascending]")');
    await until(page, '!document.querySelector("tbody tr").innerText.includes("/autumn")');
    await assertSound(page, DEVICES.desktop, 'links-sorted');
    await page.evaluate(`document.querySelector('[aria-label="Duplicate /autumn"]').click()`);
    await shows(page, 'Everything is as on /autumn');
    await press(page, 'Make link');
    const { shortCode, deepLinkPath } = await made(page);
    assert.ok(shortCode !== 'autumn');
    assert.equal(deepLinkPath, '/sale');
  });

  it('tags and titles are set in the form and filter the list; many links are selected and edited, with what changes shown before', async () => {
    const call = async (method: string, path: string, body?: object) => {
      const headers = { cookie, 'x-app-id': scene.appId, 'content-type': 'application/json' };
      const init = { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) };
      return await (await fetch(`${scene.url}/v1/links${path}`, init)).json();
    };
    await call('POST', '/batch', {
      links: Array.from({ length: 120 }, (_, place) => ({
        deepLinkPath: `/posters/${place}`,
        shortCode: `poster-${place}`,
        title: `Poster ${place} at the entrance of the shop in the Königstraße`,
        tags:
          place % 2 === 0 ? ['Print', 'Stuttgart', ...(place === 100 ? ['x'.repeat(64)] : [])] : ['Print'],
      })),
    });
    const page = await visit('links/new');
    await write(page, 'deepLinkPath', '/poster');
    await write(page, 'title', 'A poster');
    await write(page, 'tags', 'pri');
    await until(page, 'document.querySelector("[role=option]")?.innerText === "Print"');
    await page.press('ArrowDown');
    await page.press('Enter');
    await write(page, 'tags', 'Wall, print,');
    await write(page, 'tags', 'Left over');
    await page.press('Escape');
    await press(page, 'Make link');
    const link = (await made(page)) as Stored & { readonly title: string; readonly tags: string[] };
    assert.deepEqual([link.title, link.tags], ['A poster', ['Print', 'Wall', 'Left over']]);

    const ofTag = `document.querySelector('[aria-label="Only links with the tag Print"]')`;
    await until(page, ofTag);
    await page.evaluate(`${ofTag}.click()`);
    await shows(page, 'Poster 119 at the entrance');
    assert.ok(!(await page.evaluate<string>('document.querySelector("table").innerText')).includes('autumn'));
    await page.evaluate(`document.querySelector('thead [aria-label="Select all on this page"]').click()`);
    await shows(page, '50 links selected');
    await press(page, 'Select all that fit');
    await shows(page, '121 links selected');
    await assertSound(page, DEVICES.desktop, 'links-selected');
    await press(page, 'Edit');
    await until(page, 'document.querySelector("[name=addTags]")');
    await write(page, 'addTags', 'Autumn');
    await page.press('Enter');
    await write(page, 'removeTags', 'stuttgart');
    await page.press('Escape');
    await assertSound(page, DEVICES.desktop, 'links-edit');
    await press(page, 'Show what changes');
    await until(page, 'document.querySelector("[role=dialog]").innerText.includes("121 links would change")');
    await call('DELETE', '/poster-7').catch(() => undefined);
    await press(page, 'Change 121 links');
    await until(
      page,
      'document.querySelector("[role=dialog]").innerText.includes("120 links changed, 1 not.")',
    );
    assert.match(
      await page.evaluate<string>('document.querySelector("[role=dialog]").innerText'),
      /Poster 7 at the entrance of the shop in the Königstraße There is no link/,
    );
    await press(page, 'Close');
    const { tags } = (await call('GET', '/poster-2')) as { tags: string[] };
    assert.deepEqual(tags, ['Print', 'Autumn']);

    const narrow = await visit('links?tag=autumn', NARROW);
    await narrow.evaluate(`document.querySelector('[aria-label="Select /poster-118"]').click()`);
    await shows(narrow, '1 link selected');
    await assertSound(narrow, NARROW, 'links-selected-narrow');
    await press(narrow, 'Delete');
    await until(narrow, 'document.querySelector("[role=dialog]")');
    await assertSound(narrow, NARROW, 'links-delete-narrow');
    await press(narrow, 'Delete 1 link');
    await until(narrow, 'document.querySelector("[role=dialog]").innerText.includes("1 link deleted.")');
    await press(narrow, 'Close');
    await until(narrow, '!document.querySelector("main").innerText.includes("poster-118")');
    const log = await visit('audit-log');
    await shows(log, 'changed 21 links together');
    await log.evaluate(`document.querySelector('main details').open = true`);
    await assertSound(log, DEVICES.desktop, 'audit-log-batch');
  });
});
