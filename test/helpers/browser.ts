/** One real Chromium for the tests of a file; its pages emulate phones, a tablet or a desktop. */
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after } from 'node:test';
import { type Chromium, startChromium } from './browser/chromium.ts';
import type { Device } from './browser/devices.ts';
import { Page, type Setting } from './browser/page.ts';

export { DEVICES, type Device } from './browser/devices.ts';
export type { Page, SeenRequest, Setting } from './browser/page.ts';

const USUAL: Setting = {
  javaScript: true,
  colorScheme: 'light',
  reducedMotion: false,
  languages: 'en-US,en',
  timezone: 'America/New_York',
  leaves: true,
};

/**
 * Starts the browser until the end of the file. `missing` is the reason if it cannot start, for `describe('…', { skip:
 * browser.missing }, …)`.
 */
export async function useBrowser(): Promise<Browser> {
  const chromium = await startChromium();
  const browser = new Browser(chromium);
  after(() => browser.close());
  return browser;
}

export class Browser {
  readonly missing: string | false;
  readonly #chromium: Chromium | null;
  /** `SCREENSHOTS` names a folder for screenshots. */
  readonly #keptIn = process.env.SCREENSHOTS;
  readonly #screenshotsDir: string;
  #pages: Page[] = [];

  constructor(chromium: Chromium | { readonly missing: string }) {
    this.missing = 'missing' in chromium ? chromium.missing : false;
    this.#chromium = 'missing' in chromium ? null : chromium;
    if (this.#keptIn !== undefined) mkdirSync(this.#keptIn, { recursive: true });
    this.#screenshotsDir = this.#keptIn ?? mkdtempSync(join(tmpdir(), 'throughline-screenshots-'));
  }

  /** Opens an empty page that shares only the clipboard; by default English, light, with JavaScript. */
  async open(device: Device, setting: Partial<Setting> = {}): Promise<Page> {
    if (this.#chromium === null) throw new Error(this.missing || 'the browser is not started');
    const page = await Page.open(this.#chromium.devtools, {
      device,
      setting: { ...USUAL, ...setting },
      screenshotsDir: this.#screenshotsDir,
    });
    this.#pages.push(page);
    return page;
  }

  /** Closes all pages, for `afterEach`. */
  async closePages(): Promise<void> {
    const pages = this.#pages;
    this.#pages = [];
    for (const page of pages) await page.close();
  }

  async close(): Promise<void> {
    await this.#chromium?.end();
    if (this.#keptIn === undefined) rmSync(this.#screenshotsDir, { recursive: true, force: true });
  }
}
