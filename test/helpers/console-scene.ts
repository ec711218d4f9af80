/** The real program with an app, a user and some traffic, for tests of the console in a browser. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import { join } from 'node:path';
import type { Page } from './browser.ts';
import { type Engine, makePlace } from './engines.ts';
import { freePort } from './free-port.ts';
import { type RunningServer, startServer } from './process.ts';

export const USER = { email: 'ines@shop.example', name: 'Ines Albrecht', password: 'correct horse battery' };
/** Markup that runs where text is taken for HTML. */
export const MARKUP = '<img src=x onerror="window.broken = 1">';
export const SAFARI =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1';

export interface ConsoleScene {
  readonly url: string;
  readonly appId: string;
  /** An install by fingerprint, and one that nobody gets. */
  readonly installs: { readonly matched: string; readonly organic: string };
  /** An app without anything. */
  makeApp(name: string): Promise<string>;
  /** A one-time address for an operator. */
  makeSetupUrl(): Promise<string>;
  end(): Promise<void>;
}

/** @param path of PUBLIC_URL, which a proxy removes. */
export async function openConsoleScene(
  engine: Engine,
  path = '',
  env: Record<string, string> = {},
): Promise<ConsoleScene> {
  const place = await makePlace(engine);
  const [port, proxyPort] = [await freePort(), await freePort()];
  const publicUrl = `http://127.0.0.1:${path === '' ? port : proxyPort}${path}`;
  const server = await startServer(place, {
    PORT: String(port),
    PUBLIC_URL: publicUrl,
    TRUST_PROXY: '127.0.0.1',
    ...env,
  });
  const proxy = path === '' ? null : await startProxy({ port: proxyPort, path, target: port });
  const call = caller(server);
  const admin = {
    authorization: `Bearer ${readFileSync(join(place.dataDir, 'admin-token'), 'utf8').trim()}`,
  };
  const { id: appId = '' } = await call('/v1/admin/apps', { name: `Shoe shop ${MARKUP}`, ...STORES }, admin);
  const { key = '' } = await call(`/v1/admin/apps/${appId}/keys`, { kind: 'live' }, admin);
  const headers = { 'x-api-key': key };
  const link = { campaignId: MARKUP, ogTitle: MARKUP, ogDescription: MARKUP };
  await call('/v1/links', { deepLinkPath: '/sale', shortCode: 'autumn', ...link }, headers);
  const sender = { url: publicUrl, call, headers };
  const installs = {
    matched: await install(sender, { address: '198.51.100.7', taps: 2 }),
    organic: await install(sender, { address: '198.51.100.8', taps: 0 }),
  };
  return {
    ...{ url: publicUrl, appId, installs },
    async makeApp(name) {
      return (await call('/v1/admin/apps', { name }, admin)).id ?? '';
    },
    async makeSetupUrl() {
      return (await call('/v1/admin/users/setup', {}, admin)).url ?? '';
    },
    async end() {
      proxy?.close();
      proxy?.closeAllConnections();
      await server.end('SIGTERM');
      await place.remove();
    },
  };
}

/** Makes the first user, an operator. @returns the cookie of the session. */
export async function signInFirst(scene: ConsoleScene): Promise<string> {
  const token = new URL(await scene.makeSetupUrl()).hash.slice(1);
  const answer = await fetch(`${scene.url}/v1/setup`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, ...USER }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
  return answer.headers.getSetCookie()[0]?.split(';', 1)[0] ?? '';
}

/** Calls the API for the scene's app, as the user of the session. */
export async function askAsUser<T = Record<string, string>>(
  { url, appId }: ConsoleScene,
  cookie: string,
  { method, path, body }: { method: string; path: string; body?: object | undefined },
): Promise<T> {
  const answer = await fetch(url + path, {
    method,
    headers: {
      ...{ cookie, 'x-app-id': appId, origin: url },
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`);
  return (await answer.json()) as T;
}

/** An event of the install by fingerprint, from the app. @param key a live key. */
export async function sendEvent(
  { url, installs }: ConsoleScene,
  key: string,
  eventName: string,
): Promise<void> {
  const answer = await fetch(`${url}/v1/sdk/event`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ installId: installs.matched, eventName }),
  });
  if (answer.status !== 201) throw new Error(await answer.text());
}

/** Whether a page has a text; an expression. */
export const shows = (text: string): string => `document.body.innerText.includes(${JSON.stringify(text)})`;

const STORES = {
  iosDestination: 'https://apps.apple.com/app/id525463029',
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shop',
  fallbackUrl: 'https://shop.example/sale',
};

/** Removes the path, as proxies do. */
async function startProxy({
  port,
  path,
  target,
}: {
  port: number;
  path: string;
  target: number;
}): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const { method, url = '', headers } = incoming;
    if (!url.startsWith(path)) return void outgoing.writeHead(404).end();
    const options = { host: '127.0.0.1', port: target, path: url.slice(path.length), method, headers };
    const sent = request(options, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    sent.on('error', () => outgoing.destroy());
    incoming.pipe(sent);
  });
  await once(proxy.listen(port, '127.0.0.1'), 'listening');
  return proxy;
}

type Caller = (
  path: string,
  body: object,
  headers: Record<string, string>,
) => Promise<Record<string, string>>;

function caller({ url }: RunningServer): Caller {
  return async (path, body, headers) => {
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as Record<string, string>;
  };
}

async function install(
  { url, call, headers }: { url: string; call: Caller; headers: Record<string, string> },
  { address, taps }: { address: string; taps: number },
): Promise<string> {
  const from = { 'x-forwarded-for': address };
  for (let tap = 0; tap < taps; tap++)
    await fetch(`${url}/l/autumn`, {
      headers: { ...from, 'user-agent': SAFARI, accept: 'text/html', 'accept-language': 'de' },
    });
  const fingerprint = {
    platform: 'ios',
    osVersion: '18.5',
    deviceModel: 'iPhone16,1',
    locale: 'de_DE',
    ipAddress: address,
  };
  const { installId = '' } = await call('/v1/sdk/install', { fingerprint }, { ...headers, ...from });
  const event = { installId, eventName: `purchase ${MARKUP}`, revenue: { amount: '12.50', currency: 'EUR' } };
  await call('/v1/sdk/event', event, headers);
  return installId;
}

/** Waits until a JavaScript expression is true in the page. */
export async function until(page: Page, expression: string): Promise<void> {
  const isTrue = await page.evaluate<boolean>(`new Promise((resolve) => {
    const end = Date.now() + 15000;
    const look = () => (${expression}) ? resolve(true) : Date.now() > end ? resolve(false) : setTimeout(look, 30);
    look();
  })`);
  if (!isTrue)
    throw new Error(`${expression} never came true: ${await page.evaluate('document.body.innerText')}`);
}

/** Replaces what a field holds. */
export async function write(page: Page, name: string, text: string): Promise<void> {
  await page.evaluate(`(() => {
    const field = document.querySelector('[name=${name}]:not([type=hidden])');
    field.focus();
    field.select();
  })()`);
  await page.type(text);
}

/** Presses a button by its words. */
export async function press(page: Page, button: string): Promise<void> {
  await page.evaluate(
    `[...document.querySelectorAll('button')].filter((each) => each.innerText === '${button}').at(-1).click()`,
  );
}
