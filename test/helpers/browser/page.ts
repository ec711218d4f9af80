/** One page on one device. Its requests are recorded and never leave this machine. */

import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Device } from './devices.ts';
import { type DevTools, type Fields, GIVE_UP_AFTER_MS } from './devtools.ts';

export interface Setting {
  readonly javaScript: boolean;
  readonly colorScheme: 'light' | 'dark';
  readonly reducedMotion: boolean;
  /** As in `de-CH`, or several in order of preference: `de-CH,fr`. */
  readonly languages: string;
  /** An IANA time zone name. */
  readonly timezone: string;
  /**
   * Whether the page may navigate to other sites. If not, it stays, as on a phone whose browser opens a store app
   * instead.
   */
  readonly leaves: boolean;
}

export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Null if there is none, or if the browser does not expose it. */
  readonly body: string | null;
}

interface Ids {
  readonly sessionId: string;
  readonly frameId: string;
  readonly contextId: string;
}

type KeyName = 'Tab' | 'Enter' | 'Escape' | 'End' | 'Home' | 'ArrowDown' | 'ArrowUp';
type Character = string & {};

/** The code of a key, and what it writes. */
const KEYS: Readonly<Record<string, readonly [code: number, text?: string]>> = {
  Tab: [9],
  Enter: [13, '\r'],
  Escape: [27],
  End: [35],
  Home: [36],
  ArrowUp: [38],
  ArrowDown: [40],
};
const SHIFT = 8;
const ALT = 1;
const STAND_IN = '<!doctype html><title>Elsewhere</title><h1>Elsewhere</h1>';

export class Page {
  /** Requested HTTP URLs, local and remote, in order. */
  readonly requests: SeenRequest[] = [];
  /** URLs of other schemes that the page tried to open: `intent:` or an app's own scheme. */
  readonly handedOver: string[] = [];
  readonly #devtools: DevTools;
  readonly #sessionId: string;
  readonly #frameId: string;
  readonly #contextId: string;
  readonly #screenshotsDir: string;
  readonly #leaves: boolean;
  readonly #seen = new EventTarget();
  #status = 0;

  private constructor(devtools: DevTools, ids: Ids, options: { screenshotsDir: string; leaves: boolean }) {
    this.#devtools = devtools;
    this.#sessionId = ids.sessionId;
    this.#frameId = ids.frameId;
    this.#contextId = ids.contextId;
    this.#screenshotsDir = options.screenshotsDir;
    this.#leaves = options.leaves;
  }

  /** Opens an empty page with its own cookies and storage; all pages share the clipboard. */
  static async open(
    devtools: DevTools,
    { device, setting, screenshotsDir }: { device: Device; setting: Setting; screenshotsDir: string },
  ): Promise<Page> {
    const { browserContextId } = await devtools.call('Target.createBrowserContext');
    const permissions = ['clipboardReadWrite', 'clipboardSanitizedWrite'];
    await devtools.call('Browser.grantPermissions', { browserContextId, permissions });
    const { targetId } = await devtools.call('Target.createTarget', { url: 'about:blank', browserContextId });
    const { sessionId } = await devtools.call('Target.attachToTarget', { targetId, flatten: true });
    // The browser uses the same id for a page and its outermost frame.
    const ids = { sessionId, frameId: targetId, contextId: browserContextId };
    const page = new Page(devtools, ids, { screenshotsDir, leaves: setting.leaves });
    await page.#watch();
    await page.#emulate(device, setting);
    return page;
  }

  /** Requests to other machines; the browser receives a stub page or an error instead. */
  get external(): readonly SeenRequest[] {
    return this.requests.filter(({ url }) => !isLocal(url));
  }

  /**
   * Navigates to a URL and waits until that page, or the page it redirects to, has loaded.
   * @returns the status of the first response.
   */
  async goto(url: string): Promise<number> {
    const loaded = this.#once('loaded');
    const { errorText } = await this.#call('Page.navigate', { url });
    if (errorText !== undefined) throw new Error(`${url}: ${errorText}`);
    await loaded;
    return this.#status;
  }

  async reload(): Promise<void> {
    const loaded = this.#once('loaded');
    await this.#call('Page.reload');
    await loaded;
  }

  /** Waits until the page requests or opens a URL with this prefix. @returns the full URL. */
  async reached(start: string): Promise<string> {
    for (;;) {
      const addresses = [...this.requests.map(({ url }) => url), ...this.handedOver];
      const found = addresses.find((address) => address.startsWith(start));
      if (found !== undefined) return found;
      await this.#once('address').catch((cause: unknown) => {
        throw new Error(`${start} was never reached, but: ${addresses.join(' ')}`, { cause });
      });
    }
  }

  /** Evaluates a JavaScript expression, also in a page whose own scripts are disabled; promises never resolve there. */
  async evaluate<T>(expression: string): Promise<T> {
    const { result, exceptionDetails } = await this.#call('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
    });
    if (exceptionDetails !== undefined)
      throw new Error(`${expression}: ${exceptionDetails.exception?.description ?? exceptionDetails.text}`);
    return result.value as T;
  }

  /** Touches the middle of an element. */
  async tap(selector: string): Promise<void> {
    const point = await this.#middleOf(selector);
    await this.#call('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [point] });
    await this.#call('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  }

  /** Clicks the middle of an element with the mouse. */
  async click(selector: string): Promise<void> {
    const point = { ...(await this.#middleOf(selector)), button: 'left', clickCount: 1 };
    await this.#call('Input.dispatchMouseEvent', { type: 'mousePressed', ...point });
    await this.#call('Input.dispatchMouseEvent', { type: 'mouseReleased', ...point });
  }

  /** Presses a key as a keyboard does. @param key a name, such as `Tab`, or a character. */
  async press(key: KeyName | Character, { shift = false, alt = false } = {}): Promise<void> {
    // The codes of signs depend on the layout; without one the page gets the sign alone.
    const [code, text] = KEYS[key] ?? [/^[a-z0-9 ]$/i.test(key) ? key.toUpperCase().charCodeAt(0) : 0, key];
    const event = { key, windowsVirtualKeyCode: code, modifiers: (shift ? SHIFT : 0) + (alt ? ALT : 0) };
    await this.#call('Input.dispatchKeyEvent', { type: 'keyDown', ...event, text });
    await this.#call('Input.dispatchKeyEvent', { type: 'keyUp', ...event });
  }

  /** Writes into the focused field. */
  async type(text: string): Promise<void> {
    await this.#call('Input.insertText', { text });
  }

  /** Runs in every document of this page before the page's own scripts. */
  async beforeScripts(source: string): Promise<void> {
    await this.#call('Page.addScriptToEvaluateOnNewDocument', { source });
  }

  /** Gives this page a function that takes one text. */
  async expose(name: string, take: (text: string) => void): Promise<void> {
    this.#on('Runtime.bindingCalled', ({ name: called, payload }) => {
      if (called === name) take(payload);
    });
    await this.#call('Runtime.enable');
    await this.#call('Runtime.addBinding', { name });
  }

  /** The session history up to the current URL. Chromium refuses to tell while it changes the page. */
  async history(): Promise<string[]> {
    for (;;)
      try {
        const { entries } = await this.#call('Page.getNavigationHistory');
        return entries.map(({ url }: { url: string }) => url);
      } catch (error) {
        if (!String(error).includes('Not attached to an active page')) throw error;
        await sleep(20);
      }
  }

  /** The text on the clipboard, which all pages share. */
  async clipboard(): Promise<string> {
    return await this.evaluate('navigator.clipboard.readText()');
  }

  /** The viewport as a PNG in device pixels; also saved under this name in the screenshot folder. */
  async screenshot(name: string): Promise<Buffer> {
    const { data } = await this.#call('Page.captureScreenshot', { format: 'png' });
    const png = Buffer.from(data, 'base64');
    writeFileSync(join(this.#screenshotsDir, `${name}.png`), png);
    return png;
  }

  async close(): Promise<void> {
    await this.#devtools.call('Target.disposeBrowserContext', { browserContextId: this.#contextId });
  }

  async #watch(): Promise<void> {
    this.#on('Fetch.requestPaused', (paused) => this.#answer(paused));
    this.#on('Network.responseReceived', ({ type, response }) => {
      if (type === 'Document' && isLocal(response.url)) this.#status = response.status;
    });
    // The load event does not fire for a page that redirects to an app at once.
    this.#on('Page.frameStoppedLoading', ({ frameId }) => {
      if (frameId === this.#frameId) this.#tell('loaded');
    });
    this.#on('Page.frameStartedNavigating', ({ url }) => this.#handOver(url));
    await this.#call('Page.enable');
    await this.#call('Network.enable');
    await this.#call('Fetch.enable', { patterns: [{ urlPattern: '*' }] });
  }

  async #emulate(device: Device, setting: Setting): Promise<void> {
    const { clientHints, screen, viewport } = device;
    await this.#call('Emulation.setDeviceMetricsOverride', {
      ...viewport,
      screenWidth: screen.width,
      screenHeight: screen.height,
      deviceScaleFactor: device.pixelRatio,
      mobile: device.isMobile,
    });
    await this.#call('Emulation.setUserAgentOverride', {
      userAgent: device.userAgent,
      platform: device.platform,
      acceptLanguage: setting.languages,
      ...(clientHints !== null && { userAgentMetadata: clientHints }),
    });
    if (clientHints === null) await this.beforeScripts('delete Navigator.prototype.userAgentData');
    if (device.touchPoints > 0)
      await this.#call('Emulation.setTouchEmulationEnabled', {
        enabled: true,
        maxTouchPoints: device.touchPoints,
      });
    const features = [
      { name: 'prefers-color-scheme', value: setting.colorScheme },
      { name: 'prefers-reduced-motion', value: setting.reducedMotion ? 'reduce' : 'no-preference' },
    ];
    await this.#call('Emulation.setEmulatedMedia', { features });
    await this.#call('Emulation.setTimezoneOverride', { timezoneId: setting.timezone });
    await this.#call('Emulation.setLocaleOverride', { locale: setting.languages.split(',', 1)[0] });
    await this.#call('Emulation.setScriptExecutionDisabled', { value: !setting.javaScript });
    // A page in the background has neither focus nor clipboard access.
    await this.#call('Emulation.setFocusEmulationEnabled', { enabled: true });
  }

  /** Passes local requests through; of remote requests, only documents get a response. */
  #answer({ requestId, request, resourceType }: Fields): void {
    const { method, url, headers, postData = null } = request;
    this.requests.push({ method, url, headers, body: postData });
    this.#tell('address');
    const [verdict, params] = isLocal(url)
      ? ['Fetch.continueRequest', {}]
      : resourceType === 'Document'
        ? ['Fetch.fulfillRequest', this.#standIn()]
        : ['Fetch.failRequest', { errorReason: 'BlockedByClient' }];
    // The page may have closed in the meantime.
    this.#call(verdict, { requestId, ...params }).catch(() => undefined);
  }

  /** A browser stays on the page after a 204. */
  #standIn(): Fields {
    if (!this.#leaves) return { responseCode: 204 };
    return { responseCode: 200, body: Buffer.from(STAND_IN).toString('base64') };
  }

  #handOver(url: string): void {
    if (/^(https?|about|data|blob):/.test(url)) return;
    this.handedOver.push(url);
    this.#tell('address');
  }

  /** @param path a selector; after ` >>> ` one within the shadow root of that element. */
  async #middleOf(path: string): Promise<{ x: number; y: number }> {
    const { root } = await this.#call('DOM.getDocument');
    let { nodeId } = root;
    for (const [depth, selector] of path.split(' >>> ').entries()) {
      if (depth > 0) nodeId = await this.#shadowOf(nodeId);
      ({ nodeId } = await this.#call('DOM.querySelector', { nodeId, selector }));
      if (nodeId === 0) throw new Error(`the page has no ${path}`);
    }
    await this.#call('DOM.scrollIntoViewIfNeeded', { nodeId });
    const { quads } = await this.#call('DOM.getContentQuads', { nodeId });
    const [left, top, , , right, bottom] = quads[0];
    return { x: (left + right) / 2, y: (top + bottom) / 2 };
  }

  async #shadowOf(nodeId: number): Promise<number> {
    const { object } = await this.#call('DOM.resolveNode', { nodeId });
    const { result } = await this.#call('Runtime.callFunctionOn', {
      ...{ objectId: object.objectId, functionDeclaration: 'function () { return this.shadowRoot; }' },
    });
    return (await this.#call('DOM.requestNode', { objectId: result.objectId })).nodeId;
  }

  async #call(method: string, params: Fields = {}): Promise<Fields> {
    return await this.#devtools.call(method, params, this.#sessionId);
  }

  #on(event: string, listener: (fields: Fields) => void): void {
    this.#devtools.on(event, this.#sessionId, listener);
  }

  #tell(what: 'address' | 'loaded'): void {
    this.#seen.dispatchEvent(new Event(what));
  }

  async #once(what: 'address' | 'loaded'): Promise<void> {
    await once(this.#seen, what, { signal: AbortSignal.timeout(GIVE_UP_AFTER_MS) });
  }
}

function isLocal(url: string): boolean {
  return URL.parse(url)?.hostname === '127.0.0.1';
}
