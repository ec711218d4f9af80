/** Pages of the console for a user who is signed in, and what must hold on each. */
import assert from 'node:assert/strict';
import { findViolations } from './browser/accessibility.ts';
import { type Browser, DEVICES, type Device, type Page, type Setting } from './browser.ts';
import { until } from './console-scene.ts';

/** The narrowest screen still in use. */
export const NARROW = {
  ...DEVICES.iphone,
  screen: { width: 320, height: 640 },
  viewport: { width: 320, height: 640 },
};
/** Keeps what the page's policy refused, and its errors. */
export const WATCH = `
  window.refused = [];
  addEventListener('securitypolicyviolation', (event) => refused.push(event.violatedDirective + ' ' + event.blockedURI));
  addEventListener('error', (event) => refused.push(event.message));`;

/** A page of the signed-in user, once its heading is there. @param scripts run before those of the page. */
export async function visitConsole(
  browser: Browser,
  {
    url,
    cookie,
    device = DEVICES.desktop,
    setting = {},
    scripts = '',
  }: { url: string; cookie: string; device?: Device; setting?: Partial<Setting>; scripts?: string },
): Promise<Page> {
  const page = await browser.open(device, setting);
  await page.beforeScripts(WATCH + scripts);
  await page.goto(`${new URL('/console/icon.svg', url)}`);
  await page.evaluate(`document.cookie = '${cookie}; path=/'`);
  await goOn(page, url);
  return page;
}

/** From one page of the console to another, in half the time of `visitConsole`: the browser has compiled the scripts. */
export async function goOn(page: Page, url: string): Promise<void> {
  await page.goto(url);
  await until(page, 'document.querySelector("h1")?.innerText');
  await until(page, '!document.querySelector("[aria-busy=true]")');
}

/** Fits its screen, breaks no rule of access or of its policy, and asks no other host. */
export async function assertSound(page: Page, { viewport }: Device, name: string): Promise<void> {
  await page.screenshot(`console-${name}`);
  assert.equal(await page.evaluate('document.documentElement.scrollWidth'), viewport.width, name);
  // Axe cannot measure text that a bar or a chart covers in part; `the text on bars …` measures these grounds. Nor can
  // it measure columns beyond the edge of a box, which look like those within.
  await page.evaluate(`
    document.querySelectorAll('.rank-bar, svg:has(.plot)').forEach((each) => { each.style.display = 'none'; });
    document.querySelectorAll('.cohort').forEach((each) => {
      if (each.getBoundingClientRect().right > innerWidth) each.style.visibility = 'hidden';
    });`);
  assert.deepEqual(await findViolations(page), [], name);
  assert.deepEqual(await page.evaluate('refused'), [], name);
  assert.deepEqual(page.external, [], name);
  assert.equal(await page.evaluate('window.broken'), undefined, name);
}
