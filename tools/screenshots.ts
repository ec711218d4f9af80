/** `npm run screenshots`: the pictures of the README, of a service with the demo. */

import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { startChromium } from '../test/helpers/browser/chromium.ts';
import { Browser, DEVICES, type Page } from '../test/helpers/browser.ts';
import { until } from '../test/helpers/console-scene.ts';
import { makeOperator, openSignedIn } from '../test/helpers/console-user.ts';
import { freePort } from '../test/helpers/free-port.ts';
import { makeUnconfiguredPlace, runCommand, startServer } from '../test/helpers/process.ts';

const run = promisify(execFile);
const FOLDER = 'docs/pictures';
const SEED = '1';
const MAX_BYTES = 300_000;
const SIZE = { width: 1280, height: 940 };
const DEVICE = { ...DEVICES.desktop, screen: SIZE, viewport: SIZE, pixelRatio: 1.5 };

const browser = new Browser(await startChromium());
if (browser.missing) throw new Error(browser.missing);
const place = await makeUnconfiguredPlace('sqlite');
const port = String(await freePort());
const env = { ...place.env, PORT: port, PUBLIC_URL: `http://127.0.0.1:${port}`, LOG_LEVEL: 'warn' };
try {
  await takePictures();
} finally {
  await browser.close();
  await place.remove();
}

async function takePictures(): Promise<void> {
  // Not `runCommand`, which ends a command after the time of a test.
  const { stdout } = await run(process.execPath, ['bin/throughline.js', 'demo', '--seed', SEED], { env });
  const server = await startServer(place, env);
  try {
    const setup = await runCommand(['users', 'setup'], env);
    const cookie = await makeOperator(server.url, addressIn(setup.stdout, 'setup#'));
    const setting = { languages: 'en-GB,en', timezone: 'Europe/Berlin' };
    const page = await openSignedIn(browser, { url: server.url, cookie, device: DEVICE, setting });
    await show(page, addressIn(stdout, 'Overview'), 'document.querySelectorAll("li.rank").length > 8');
    await save(page, 'overview');
    await show(
      page,
      addressIn(stdout, 'Why an install came'),
      '/A click on \\//.test(document.body.innerText) && !/Not told|link not kept/.test(document.body.innerText)',
    );
    await save(page, 'trace');
  } finally {
    await server.end('SIGTERM');
  }
}

/** @param name before the address, or a part of it. */
function addressIn(output: string, name: string): string {
  const line = output.split('\n').find((each) => each.includes(name)) ?? '';
  const address = line.split(/\s+/).find((each) => each.startsWith('http'));
  if (address === undefined) throw new Error(`the demo printed no address of “${name}”: ${output}`);
  return address;
}

async function show(page: Page, address: string, isThere: string): Promise<void> {
  await page.goto(address);
  await until(page, `document.querySelector("h1") && (${isThere})`);
  await until(page, '!document.querySelector("[aria-busy=true]")');
  await page.evaluate('document.fonts.ready.then(() => undefined)');
}

async function save(page: Page, name: string): Promise<void> {
  const png = await page.screenshot(name);
  if (png.length > MAX_BYTES) throw new Error(`${name}.png has ${png.length} bytes, more than ${MAX_BYTES}`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(`${FOLDER}/${name}.png`, png);
  process.stdout.write(`${FOLDER}/${name}.png: ${Math.round(png.length / 1_024)} KB\n`);
}
