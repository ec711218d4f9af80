/** What visitors, phones and servers ask of the service in a mixed load, one function for each kind of call. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { LIVE_KEY, SDK_KEY } from './service.ts';
import { androidFingerprint, buildVisitors, LINKS, shortCode, type Visitor } from './visitors.ts';

/** How often each is made. Some are limited by key, of which a service of a bench has one. */
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
  'link made': 0.1,
  'link changed': 0.5,
  'links listed': 0.5,
  'statistics read': 0.5,
  'deliveries read': 0.5,
  erasure: 0.1,
} as const satisfies Record<string, number>;
export type Kind = keyof typeof PER_SECOND;
export const KINDS = Object.keys(PER_SECOND) as Kind[];

/** What was answered so far, and has to be in the database at the end. */
export interface Acknowledged {
  clicks: number;
  events: number;
  /** What webhooks are told of. */
  messages: number;
  /** Installs by the way they were attributed. */
  readonly methods: Record<string, number>;
}

/** Who taps a link, and later tells of it. */
interface Tapped {
  readonly visitor: Visitor;
  readonly clickId: string;
  readonly referrer: string;
}

interface Installed {
  readonly installId: string;
  readonly visitor: Visitor;
}

const SEED = 20_261_122;
const VISITORS = 40_000;
const CONNECTIONS = 64;
/** Of those who have tapped, or installed, and are still to do something; a phone comes back after some 20 s. */
const REMEMBERED = 200;
/** Phones are made up as they are needed, each with an address of its own. */
const PHONES_AT_ONCE = 1_000;
const EVENTS_IN_BATCH = 20;
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export class MixedCalls {
  readonly acknowledged: Acknowledged = { clicks: 0, events: 0, messages: 0, methods: {} };
  /** Each resolves when the answer is there, and throws when it is not the expected one. */
  readonly calls: Readonly<Record<Kind, () => Promise<void>>> = {
    redirect: () => (this.#tapped.length < REMEMBERED ? this.#tapForInstall() : this.#redirect()),
    page: () => this.#page(),
    'install by click ID': () => this.#installTapped(({ clickId }) => ({ clickId })),
    'install by referrer': () => this.#installTapped(({ referrer }) => ({ installReferrer: referrer })),
    'install by fingerprint': () => this.#installTapped(() => ({})),
    'organic install': () => this.#install(this.#newPhone(), {}),
    open: () => this.#open(),
    event: () => this.#event(),
    '20 events': () => this.#events(),
    identify: () => this.#identify(),
    'link made': () => this.#manage('POST', '/v1/links', { deepLinkPath: '/made' }),
    'link changed': () => this.#manage('PATCH', `/v1/links/${this.#code()}`, { deepLinkPath: this.#path() }),
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
  readonly #tapped: Tapped[] = [];
  readonly #installed: Installed[] = [];
  readonly #userIds: string[] = [];
  #made = 0;

  constructor(port: number) {
    this.#url = `http://127.0.0.1:${port}`;
  }

  /** Phones that have tapped, installed and told who they are, so that every kind of call can be made. */
  async prepare(): Promise<void> {
    for (let n = 0; n < REMEMBERED; n++) await this.#tapForInstall();
    for (let n = 0; n < REMEMBERED / 4; n++) await this.#install(this.#newPhone(), {});
    for (let n = 0; n < REMEMBERED / 10; n++) await this.#identify();
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
    const visitor = this.#newPhone();
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

  async #installTapped(named: (tapped: Tapped) => object): Promise<void> {
    const tapped = taken(this.#tapped, 'phone that has tapped');
    await this.#install(tapped.visitor, named(tapped));
  }

  async #install(visitor: Visitor, named: object): Promise<void> {
    const { installId, method } = await this.#tell(visitor, 'install', 200, {
      fingerprint: androidFingerprint(visitor),
      ...named,
    });
    const { methods } = this.acknowledged;
    methods[String(method)] = (methods[String(method)] ?? 0) + 1;
    this.acknowledged.messages += 1;
    this.#installed.push({ installId: String(installId), visitor });
    if (this.#installed.length > REMEMBERED) this.#installed.shift();
  }

  async #open(): Promise<void> {
    const { visitor, clickId } = taken(this.#tapped, 'phone that has tapped');
    const { installId } = this.#pick(this.#installed);
    const fingerprint = androidFingerprint(visitor);
    const { attributed } = await this.#tell(visitor, 'open', 200, { clickId, installId, fingerprint });
    if (attributed === true) this.acknowledged.messages += 1;
  }

  async #event(): Promise<void> {
    const { visitor, installId } = this.#pick(this.#installed);
    await this.#tell(visitor, 'event', 201, eventOf(installId));
    this.#recorded(1);
  }

  async #events(): Promise<void> {
    const { visitor, installId } = this.#pick(this.#installed);
    const events = Array.from({ length: EVENTS_IN_BATCH }, () => eventOf(installId));
    const { results } = await this.#tell(visitor, 'events', 200, { events });
    const refused = (results as { status: number; error?: string }[]).find(({ status }) => status !== 201);
    if (refused !== undefined) throw new Error(`an event of a batch was not recorded: ${refused.error}`);
    this.#recorded(EVENTS_IN_BATCH);
  }

  #recorded(events: number): void {
    this.acknowledged.events += events;
    this.acknowledged.messages += events;
  }

  /** Who is known by a name does nothing more, and may be erased. */
  async #identify(): Promise<void> {
    const { visitor, installId } = taken(this.#installed, 'install');
    const userId = `person-${randomUUID()}`;
    await this.#tell(visitor, 'identify', 204, { installId, userId });
    this.#userIds.push(userId);
    if (this.#userIds.length > REMEMBERED) this.#userIds.shift();
  }

  async #erase(): Promise<void> {
    const userId = taken(this.#userIds, 'person');
    await this.#manage('POST', '/v1/privacy/erase', { userId });
  }

  async #manage(method: Method, path: string, body?: object): Promise<void> {
    const headers = { 'x-api-key': LIVE_KEY };
    await this.#send(method, path, { headers, ...(body !== undefined && { body }) });
  }

  async #tell(
    { address }: Visitor,
    what: string,
    expected: number,
    body: object,
  ): Promise<Record<string, unknown>> {
    const headers = { 'x-api-key': SDK_KEY, 'x-forwarded-for': address };
    const { text } = await this.#send('POST', `/v1/sdk/${what}`, { expected, headers, body });
    return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
  }

  /** @throws when the answer is not the expected one, or no success where none is named. */
  async #send(
    method: Method,
    path: string,
    { expected, headers, body }: SendOptions,
  ): Promise<{ location: string | null; text: string }> {
    const answer = await request(this.#url + path, {
      method,
      dispatcher: this.#agent,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    const { statusCode } = answer;
    if (expected === undefined ? statusCode >= 300 : statusCode !== expected)
      throw new Error(`${method} ${path} was answered ${statusCode}: ${text.slice(0, 200)}`);
    const { location } = answer.headers;
    return { location: typeof location === 'string' ? location : null, text };
  }

  #newPhone(): Visitor {
    if (this.#phones.length === 0) {
      this.#made += 1;
      this.#phones.push(...buildVisitors(PHONES_AT_ONCE, SEED + this.#made, 'android'));
    }
    return taken(this.#phones, 'phone');
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

/** The one that waits the longest. @throws when there is none: others came too late. */
function taken<T>(list: T[], what: string): T {
  const first = list.shift();
  if (first === undefined) throw new Error(`there is no ${what}`);
  return first;
}
