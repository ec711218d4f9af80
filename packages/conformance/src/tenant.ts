/** The app of one scenario as its owner sees it: links, taps and the lists of records. */
import type { LoggedRequest } from './network.ts';
import type { Json, JsonObject, Tap } from './scenario.ts';
import type { Keys, Service } from './service.ts';

export interface Link {
  readonly url: string;
  readonly code: string;
  /** With the port, if any. */
  readonly host: string;
}

export interface Tapped {
  /** From the address of the store. */
  readonly referrer: string | null;
  /** The text that the landing page copies. */
  readonly clipboard: string | null;
}

export type Kind = 'installs' | 'opens' | 'events' | 'made';

/** Clocks of this machine and of the service may differ by this much. */
const CLOCK_DIFFERENCE_MS = 60_000;
const BROWSERS = {
  ANDROID:
    'Mozilla/5.0 (Linux; Android 15; Pixel 9) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
  IOS: 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Mobile/15E148 Safari/604.1',
};
const STORES = {
  androidDestination: 'https://play.google.com/store/apps/details?id=com.example.shop',
  iosDestination: 'https://apps.apple.com/app/id1234567890',
};

export class Tenant {
  readonly keys: Keys;
  readonly #service: Service;
  readonly #tapHeaders: Readonly<Record<string, string>>;
  readonly #startedAt = new Date(Date.now() - CLOCK_DIFFERENCE_MS).toISOString();

  /** @param tapHeaders give taps an address. */
  constructor(service: Service, keys: Keys, tapHeaders: Readonly<Record<string, string>>) {
    this.#service = service;
    this.keys = keys;
    this.#tapHeaders = tapHeaders;
  }

  async createLink(body: JsonObject): Promise<Link> {
    const link = await call<{ shortUrl: string; shortCode: string }>(this.#service, 'POST', '/v1/links', {
      headers: { 'x-api-key': this.keys.liveKey },
      body: { ...STORES, ...body },
    });
    return { url: link.shortUrl, code: link.shortCode, host: new URL(link.shortUrl).host };
  }

  async tap(link: Link, device: Tap['device']): Promise<Tapped> {
    const { pathname } = new URL(link.url);
    const response = await fetch(new URL(pathname, this.#service.url), {
      redirect: 'manual',
      headers: { 'user-agent': BROWSERS[device], accept: 'text/html', ...this.#tapHeaders },
    });
    const page = await response.text();
    const store = response.headers.get('location');
    return {
      referrer: store === null ? null : new URL(store).searchParams.get('referrer'),
      clipboard: /data-copy="([^"]+)"/.exec(page)?.[1]?.replaceAll('&amp;', '&') ?? null,
    };
  }

  /** A call of the management API. */
  async manage(method: string, path: string, body: JsonObject | undefined): Promise<void> {
    const headers = { 'x-api-key': this.keys.liveKey };
    await ask(this.#service, method, path, { headers, ...(body && { body }) });
  }

  /** The records of the scenario, oldest first. */
  async list(kind: Kind, log: readonly LoggedRequest[]): Promise<JsonObject[]> {
    if (kind === 'made') return await this.#listMade(log);
    const query = this.#service.keys === null ? '' : `?from=${this.#startedAt}`;
    const text = await ask(this.#service, 'GET', `/v1/${kind}${query}`, {
      headers: { 'x-api-key': this.keys.liveKey, accept: 'application/x-ndjson' },
    });
    const records = text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as JsonObject);
    if (this.#service.keys === null) return records;
    const ids = idsIn(log);
    return records.filter(({ id, installId }) => ids.has(id ?? null) || ids.has(installId ?? null));
  }

  /** An app of a scenario has fewer links than one page. */
  async #listMade(log: readonly LoggedRequest[]): Promise<JsonObject[]> {
    const ids = idsIn(log);
    const headers = { 'x-api-key': this.keys.liveKey };
    const links = await call<readonly MadeLink[]>(this.#service, 'GET', '/v1/links?limit=100', { headers });
    return links.filter(({ metadata }) => ids.has(metadata.invitedBy ?? null)).toReversed();
  }
}

interface MadeLink extends JsonObject {
  readonly metadata: JsonObject;
}

/** Makes an app of a service that the runner started. @param settings as `POST /v1/admin/apps` takes them. */
export async function makeApp(service: Service, settings: JsonObject): Promise<Keys> {
  const headers = { authorization: `Bearer ${service.adminToken}` };
  const app = await call<{ id: string }>(service, 'POST', '/v1/admin/apps', { headers, body: settings });
  const makeKey = (kind: string) =>
    call<{ key: string }>(service, 'POST', `/v1/admin/apps/${app.id}/keys`, { headers, body: { kind } });
  return { liveKey: (await makeKey('live')).key, sdkKey: (await makeKey('live_publishable')).key };
}

/** Scenarios that share an app know their records by the IDs that passed the network. */
function idsIn(log: readonly LoggedRequest[]): ReadonlySet<Json> {
  const ids = new Set<Json>();
  for (const { body, answer } of log)
    for (const part of [body, answer] as readonly (Partial<Record<string, Json>> | null)[])
      for (const name of ['installId', 'openId', 'eventId']) {
        const id = part?.[name];
        if (typeof id === 'string') ids.add(id);
      }
  return ids;
}

interface Asked {
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: JsonObject;
}

async function call<T>(service: Service, method: string, path: string, asked: Asked): Promise<T> {
  return JSON.parse(await ask(service, method, path, asked)) as T;
}

async function ask(
  { url }: Service,
  method: string,
  path: string,
  { headers, body }: Asked,
): Promise<string> {
  const response = await fetch(new URL(`${url.pathname.replace(/\/$/, '')}${path}`, url), {
    method,
    headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`the service answered ${response.status} to ${method} ${path}: ${text}`);
  return text;
}
