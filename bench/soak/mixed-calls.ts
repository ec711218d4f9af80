/** The calls of visitors, phones and servers in a mixed load, one function per kind. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { LIVE_KEY, SDK_KEY } from '../lib/service.ts';
import { androidFingerprint, buildVisitors, LINKS, shortCode, type Visitor } from '../lib/visitors.ts';

/** Calls per second. Some kinds are rate-limited by key, and a bench uses one key. */
export const PER_SECOND = {
  redirect: 250,
  page: 50,
  'install by click ID': 2,
  'install by referrer': 2,
  'install by fingerprint': 2,
  'organic install': 2,
  open: 2,
  event: 10,
  '20 events': 0.5,
  identify: 2,
  'link created': 0.1,
  'link updated': 0.5,
  'links listed': 0.5,
  'statistics read': 0.5,
  'deliveries read': 0.5,
  erasure: 0.1,
} as const satisfies Record<string, number>;
export type Kind = keyof typeof PER_SECOND;
export const KINDS = Object.keys(PER_SECOND) as Kind[];

/** Acknowledged records, which must be in the database at the end. */
export interface Acknowledged {
  clicks: number;
  events: number;
  /** Webhook messages. */
  messages: number;
  /** Installs by attribution method. */
  readonly methods: Record<string, number>;
}

/** A phone after its tap. */
interface TappedPhone {
  readonly visitor: Visitor;
  readonly clickId: string;
  readonly referrer: string;
}

interface InstalledPhone {
  readonly installId: string;
  readonly visitor: Visitor;
}

const SEED = 20_261_122;
const VISITORS = 40_000;
const CONNECTIONS = 64;
/** Phones between their tap and install, and installs for events; a phone installs after about 20 s. */
const POOL_SIZE = 200;
/** Phones are generated in batches, with one address each. */
const PHONE_BATCH = 1_000;
const EVENT_BATCH = 20;
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export class MixedCalls {
  readonly acknowledged: Acknowledged = { clicks: 0, events: 0, messages: 0, methods: {} };
  /** Each resolves with the response, and throws if it is unexpected. */
  readonly calls: Readonly<Record<Kind, () => Promise<void>>> = {
    redirect: () => (this.#tapped.length < POOL_SIZE ? this.#tapForInstall() : this.#redirect()),
    page: () => this.#page(),
    'install by click ID': () => this.#installTapped(({ clickId }) => ({ clickId })),
    'install by referrer': () => this.#installTapped(({ referrer }) => ({ installReferrer: referrer })),
    'install by fingerprint': () => this.#installTapped(() => ({})),
    'organic install': () => this.#install(this.#nextPhone(), {}),
    open: () => this.#open(),
    event: () => this.#event(),
    '20 events': () => this.#events(),
    identify: () => this.#identify(),
    'link created': () => this.#manage('POST', '/v1/links', { deepLinkPath: '/created' }),
    'link updated': () => this.#manage('PATCH', `/v1/links/${this.#code()}`, { deepLinkPath: this.#path() }),
    'links listed': () => this.#manage('GET', '/v1/links?limit=20'),
    'statistics read': () => this.#manage('GET', `/v1/links/${this.#code()}/stats`),
    'deliveries read': () => this.#manage('GET', '/v1/webhooks/deliveries'),
    erasure: () => this.#erase(),
  };
  readonly #url: string;
  readonly #agent = new Agent({ connections: CONNECTIONS });
  readonly #visitors = buildVisitors(VISITORS, SEED);
  readonly #iphones = this.#visitors.filter(({ userAgent }) => userAgent.includes('iPhone'));
  readonly #phones: Visitor[] = [];
  readonly #tapped: TappedPhone[] = [];
  readonly #installed: InstalledPhone[] = [];
  readonly #userIds: string[] = [];
  #phoneBatches = 0;

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Creates taps, installs and users, so that every kind of call is possible. */
  async prepare(): Promise<void> {
    for (let n = 0; n < POOL_SIZE; n++) await this.#tapForInstall();
    for (let n = 0; n < POOL_SIZE / 4; n++) await this.#install(this.#nextPhone(), {});
    for (let n = 0; n < POOL_SIZE / 10; n++) await this.#identify();
  }

  async close(): Promise<void> {
    await this.#agent.close();
  }

  async #redirect(): Promise<void> {
    await this.#tap(this.#pick(this.#visitors), '*/*', 302);
  }

  async #page(): Promise<void> {
    await this.#tap(this.#pick(this.#iphones), HTML, 200);
  }

  async #tapForInstall(): Promise<void> {
    const visitor = this.#nextPhone();
    const location = new URL((await this.#tap(visitor, '*/*', 302)) ?? '');
    const referrer = location.searchParams.get('referrer') ?? '';
    const clickId = new URLSearchParams(referrer).get('svc_click_id');
    if (clickId === null) throw new Error(`a tap did not lead to Play with a click ID: ${location}`);
    this.#tapped.push({ visitor, clickId, referrer });
  }

  async #tap(visitor: Visitor, accept: string, expected: number): Promise<string | null> {
    const { location } = await this.#send('GET', `/l/${this.#code()}`, {
      expected,
      headers: {
        'x-forwarded-for': visitor.address,
        'user-agent': visitor.userAgent,
        'accept-language': visitor.acceptLanguage,
        accept,
      },
    });
    this.acknowledged.clicks += 1;
    return location;
  }

  async #installTapped(identifierOf: (tapped: TappedPhone) => object): Promise<void> {
    const tapped = takeFirst(this.#tapped, 'tapped phone');
    await this.#install(tapped.visitor, identifierOf(tapped));
  }

  async #install(visitor: Visitor, identifier: object): Promise<void> {
    const { installId, method } = await this.#callSdk(visitor, 'install', 200, {
      fingerprint: androidFingerprint(visitor),
      ...identifier,
    });
    const { methods } = this.acknowledged;
    methods[String(method)] = (methods[String(method)] ?? 0) + 1;
    this.acknowledged.messages += 1;
    this.#installed.push({ installId: String(installId), visitor });
    if (this.#installed.length > POOL_SIZE) this.#installed.shift();
  }

  async #open(): Promise<void> {
    const { visitor, clickId } = takeFirst(this.#tapped, 'tapped phone');
    const { installId } = this.#pick(this.#installed);
    const fingerprint = androidFingerprint(visitor);
    const { attributed } = await this.#callSdk(visitor, 'open', 200, { clickId, installId, fingerprint });
    if (attributed === true) this.acknowledged.messages += 1;
  }

  async #event(): Promise<void> {
    const { visitor, installId } = this.#pick(this.#installed);
    await this.#callSdk(visitor, 'event', 201, eventOf(installId));
    this.#countEvents(1);
  }

  async #events(): Promise<void> {
    const { visitor, installId } = this.#pick(this.#installed);
    const events = Array.from({ length: EVENT_BATCH }, () => eventOf(installId));
    const { results } = await this.#callSdk(visitor, 'events', 200, { events });
    const refused = (results as { status: number; error?: string }[]).find(({ status }) => status !== 201);
    if (refused !== undefined) throw new Error(`an event of a batch was not recorded: ${refused.error}`);
    this.#countEvents(EVENT_BATCH);
  }

  #countEvents(events: number): void {
    this.acknowledged.events += events;
    this.acknowledged.messages += events;
  }

  /** An identified phone makes no further calls and may be erased. */
  async #identify(): Promise<void> {
    const { visitor, installId } = takeFirst(this.#installed, 'install');
    const userId = `person-${randomUUID()}`;
    await this.#callSdk(visitor, 'identify', 204, { installId, userId });
    this.#userIds.push(userId);
    if (this.#userIds.length > POOL_SIZE) this.#userIds.shift();
  }

  async #erase(): Promise<void> {
    const userId = takeFirst(this.#userIds, 'person');
    await this.#manage('POST', '/v1/privacy/erase', { userId });
  }

  async #manage(method: Method, path: string, body?: object): Promise<void> {
    const headers = { 'x-api-key': LIVE_KEY };
    await this.#send(method, path, { headers, ...(body !== undefined && { body }) });
  }

  async #callSdk(
    { address }: Visitor,
    endpoint: string,
    expected: number,
    body: object,
  ): Promise<Record<string, unknown>> {
    const headers = { 'x-api-key': SDK_KEY, 'x-forwarded-for': address };
    const { text } = await this.#send('POST', `/v1/sdk/${endpoint}`, { expected, headers, body });
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  /** @param expected any success if undefined. @throws for another status. */
  async #send(
    method: Method,
    path: string,
    { expected, headers, body }: SendOptions,
  ): Promise<{ location: string | null; text: string }> {
    const response = await request(this.#url + path, {
      method,
      dispatcher: this.#agent,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.body.text();
    const { statusCode } = response;
    if (expected === undefined ? statusCode >= 300 : statusCode !== expected)
      throw new Error(`status ${statusCode} of ${method} ${path}: ${text.slice(0, 200)}`);
    const { location } = response.headers;
    return { location: typeof location === 'string' ? location : null, text };
  }

  #nextPhone(): Visitor {
    if (this.#phones.length === 0) {
      this.#phoneBatches += 1;
      this.#phones.push(...buildVisitors(PHONE_BATCH, SEED + this.#phoneBatches, 'android'));
    }
    return takeFirst(this.#phones, 'phone');
  }

  #code(): string {
    return shortCode(Math.floor(Math.random() * LINKS));
  }

  #path(): string {
    return `/products/${Math.floor(Math.random() * 1_000)}`;
  }

  #pick<T>(list: readonly T[]): T {
    return list[Math.floor(Math.random() * list.length)] as T;
  }
}

type Method = 'GET' | 'POST' | 'PATCH';

interface SendOptions {
  readonly headers: Record<string, string>;
  readonly body?: object;
  readonly expected?: number;
}

function eventOf(installId: string): object {
  const properties = { amount: 19.99, currency: 'EUR', items: 3 };
  return { installId, eventId: randomUUID(), eventName: 'purchase', properties };
}

/** @throws for an empty list, if earlier calls were too slow. */
function takeFirst<T>(list: T[], name: string): T {
  const first = list.shift();
  if (first === undefined) throw new Error(`no ${name} is left`);
  return first;
}
