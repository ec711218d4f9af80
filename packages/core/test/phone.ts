/** A phone whose app can be killed at any write or request, and a service that records what reaches it. */
import { setTimeout as wait } from 'node:timers/promises';
import {
  type Config,
  createThroughline,
  type DeepLink,
  type JsonObject,
  type LogEntry,
  type Ports,
  type Throughline,
} from '../src/index.ts';

export const BASE_URL = 'https://go.example.com';
export const KEY = 'svc_live_pub_us_0123456789abcdef';
export const LINK = `${BASE_URL}/l/spring`;

export type Reply = {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Record<string, string>;
};

/** Records like the service: an ID counts once, and its first answer stays. */
export class FakeService {
  readonly installs = new Map<string, JsonObject>();
  readonly opens = new Map<string, JsonObject>();
  readonly events: JsonObject[] = [];
  readonly users: JsonObject[] = [];
  /** Codes of links that the app made, by their content. */
  readonly links = new Map<string, string>();
  readonly requests: { readonly path: string; readonly body: JsonObject }[] = [];
  /** Of installs; null for organic. */
  payload: JsonObject | null = null;
  /** Of installs and opens with a payload. */
  method = 'INSTALL_REFERRER';

  answer(path: string, body: JsonObject): Reply {
    this.requests.push({ path, body });
    if (path === '/v1/sdk/install') return this.#install(body);
    if (path === '/v1/sdk/resolve' || path === '/v1/sdk/open') return this.#open(body);
    if (path === '/v1/sdk/identify') {
      this.users.push(body);
      return { status: 204, body: undefined };
    }
    if (path === '/v1/sdk/links') return this.#link(body);
    if (path === '/v1/sdk/events') return { status: 200, body: { results: this.#record(body) } };
    return fault(404, 'route.not_found');
  }

  #install(body: JsonObject): Reply {
    const id = String(body.installId);
    if (!this.installs.has(id)) this.installs.set(id, body);
    return { status: 200, body: this.#attribution(id) };
  }

  #open(body: JsonObject): Reply {
    if (String(body.url ?? '').includes('/l/unknown')) return fault(404, 'link.not_found');
    if (typeof body.openId === 'string') this.opens.set(body.openId, body);
    if (body.clickId !== undefined) return { status: 200, body: this.#attribution(body.installId ?? null) };
    return {
      status: 200,
      body: {
        deepLinkPath: '/shoes/42',
        deepLinkParams: { size: 43 },
        isDeferred: false,
        campaignId: 'spring',
      },
    };
  }

  #link(body: JsonObject): Reply {
    if (!this.installs.has(String(body.installId))) return fault(404, 'install.not_found');
    const content = JSON.stringify(body);
    const known = this.links.get(content);
    const shortCode = known ?? `made${this.links.size}`;
    this.links.set(content, shortCode);
    return { status: known ? 200 : 201, body: { shortCode, shortUrl: `${BASE_URL}/l/${shortCode}` } };
  }

  #attribution(installId: JsonObject[string]): JsonObject {
    const { payload, method } = this;
    return {
      ...{ attributed: payload !== null, method: payload === null ? 'ORGANIC' : method, installId },
      ...{ clickId: null, campaignId: payload === null ? null : 'spring' },
      ...{ confidence: method === 'FINGERPRINT' ? '0.913' : null, deepLinkPayload: payload, metadata: {} },
    };
  }

  #record({ events }: JsonObject): JsonObject[] {
    return (events as JsonObject[]).map((event): JsonObject => {
      if (event.eventName === 'bad') return { status: 400, error: 'The event is bad.' };
      if (!this.installs.has(String(event.installId)))
        return { status: 404, error: 'There is no install.', code: 'install.not_found' };
      if (this.events.every(({ eventId }) => eventId !== event.eventId)) this.events.push(event);
      return { status: 201, eventId: event.eventId ?? null };
    });
  }
}

/** As the service answers a refused request. */
export function fault(status: number, code: string): Reply {
  return { status, body: { error: `It says ${code}.` }, headers: { 'x-service-error': code } };
}

/** What happens to a request: `lost` before or after the service has it, or another reply in place of the service's. */
export type Fate = 'answered' | 'lost' | 'answer lost' | Reply;

const clients: Throughline[] = [];

/** Ends the clients of all phones, whose timers would keep the process of the tests. */
export function endClients(): void {
  for (const client of clients) void client.shutdown();
}

export class Phone {
  readonly service: FakeService;
  readonly stored = new Map<string, string>();
  readonly delivered: DeepLink[] = [];
  readonly log: LogEntry[] = [];
  /** Numbers requests from 0 over all starts. */
  fateOf: (request: number, path: string, body: string) => Fate = () => 'answered';
  /** The app is killed at the write or request with this number. */
  killAt = Number.POSITIVE_INFINITY;
  steps = 0;
  nowMs = Date.UTC(2026, 10, 25);
  readonly #paths: string[] = [];
  #requests = 0;
  #life = 0;

  constructor(service: FakeService = new FakeService()) {
    this.service = service;
  }

  /** Starts the app with a listener. What an earlier process of the app does has no effect any more. */
  launch(config: Partial<Config> = {}, ports: Ports = {}): Throughline {
    const client = this.create(config, ports);
    const life = this.#life;
    client.onDeepLink((link) => {
      if (life === this.#life) this.delivered.push(link);
    });
    void client.start();
    return client;
  }

  create(config: Partial<Config> = {}, ports: Ports = {}): Throughline {
    const life = ++this.#life;
    const onLog = (entry: LogEntry) => this.log.push(entry);
    const client = createThroughline(
      { baseUrl: BASE_URL, key: KEY, onLog, ...config },
      {
        storage: {
          getItem: async (key) => this.stored.get(key) ?? null,
          setItem: (key, value) => this.#step(life, () => this.stored.set(key, value)),
          removeItem: (key) => this.#step(life, () => this.stored.delete(key)),
        },
        fetch: (url, { body = '{}' }) => this.#fetch(life, url.slice(BASE_URL.length), body),
        now: () => this.nowMs,
        uptime: () => this.nowMs,
        device: async () => ({ platform: 'ANDROID', deviceModel: 'Pixel 9', osVersion: '16' }),
        ...ports,
      },
    );
    clients.push(client);
    return client;
  }

  /** Requests to a path, whatever their fate. */
  requested(path: string): number {
    return this.#paths.filter((each) => each === path).length;
  }

  /** Ends the process: nothing of it has an effect from now on. */
  kill(): void {
    this.#life += 1;
  }

  async #step<T>(life: number, action: () => T): Promise<T> {
    if (life === this.#life && this.steps++ >= this.killAt) this.kill();
    if (life !== this.#life) throw new Error('the app was killed');
    return action();
  }

  async #fetch(life: number, path: string, body: string) {
    this.#paths.push(path);
    const fate = await this.#step(life, () => this.fateOf(this.#requests++, path, body));
    if (fate === 'lost') throw new TypeError('fetch failed');
    const reply = typeof fate === 'object' ? fate : this.service.answer(path, JSON.parse(body) as JsonObject);
    if (fate === 'answer lost') throw new TypeError('fetch failed');
    await this.#step(life, () => {});
    const text = typeof reply.body === 'string' ? reply.body : (JSON.stringify(reply.body) ?? '');
    return { status: reply.status, headers: new Headers(reply.headers), text: async () => text };
  }
}

/** Lets promises settle. */
export async function settle(): Promise<void> {
  await wait(5);
}
