/** The field that makes a link of a path. */
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
  until,
  write,
} from '../../helpers/console-scene.ts';

const browser = await useBrowser();

describe('a link from one field', { skip: browser.missing }, () => {
  let scene: ConsoleScene;
  let cookie: string;
  before(async () => {
    scene = await openConsoleScene('sqlite');
    cookie = await signInFirst(scene);
  });
  afterEach(() => browser.closePages());
  after(() => scene?.end());

  for (const { given, button, path, fallbackUrl } of [
    {
      given: 'https://shop.example.com/sale?x=1',
      button: 'Take it apart',
      path: '/sale?x=1',
      fallbackUrl: 'https://shop.example.com/sale?x=1',
    },
    { given: 'black friday', button: 'Use this path', path: '/black-friday', fallbackUrl: null },
    { given: 'black friday', button: 'Keep it as it is', path: 'black friday', fallbackUrl: null },
    { given: '/shoes/42', button: null, path: '/shoes/42', fallbackUrl: null },
  ])
    it(`“${given}” ${button === null ? 'is taken at once' : `is asked about, and “${button}” makes ${path}`}`, async () => {
      const page = await visitConsole(browser, {
        url: `${scene.url}/console/${scene.appId}/links`,
        cookie,
      });
      await until(page, 'document.querySelector("[name=path]")');
      await write(page, 'path', given);
      await press(page, 'Make link');
      if (button !== null) {
        await until(page, 'document.querySelector("[role=status]")');
        assert.deepEqual(await findViolations(page), []);
        await press(page, button);
      }
      await until(page, '/\\/links\\/[^/]{8}$/.test(location.pathname)');
      const code = await page.evaluate<string>('location.pathname.split("/").at(-1)');
      const answer = await fetch(`${scene.url}/v1/links/${code}`, {
        headers: { cookie, 'x-app-id': scene.appId },
      });
      const link = (await answer.json()) as { deepLinkPath: string; fallbackUrl: string | null };
      assert.deepEqual([link.deepLinkPath, link.fallbackUrl], [path, fallbackUrl]);
    });
});
