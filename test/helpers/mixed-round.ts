/** One round of every kind of request, identical each time, so that rounds are comparable. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { IPHONE, IPHONE_FINGERPRINT, PIXEL } from './callers.ts';
import { clickIdIn } from './load.ts';

interface MixedRoundOptions {
  readonly url: string;
  /** A secret key. */
  readonly key: string;
  readonly adminToken: string;
  /** Codes of links to Play. */
  readonly shortCodes: readonly string[];
}

/** How often a round makes each kind of request. */
const TAPS = 400;
const PHONES = 40;
/** The limits of a key: 60 links and 30 erasures a minute. */
const OF_LINKS = 6;
const ERASURES = 2;
const EVENTS_IN_BATCH = 10;
const AT_ONCE = 8;
/** The rate limiter keeps each address for a minute, so every round uses the same addresses. */
const ADDRESSES = 200;

/** Uses its own connections and closes them at the end. @returns the number of answered clicks. */
export async function mixedRound(options: MixedRoundOptions): Promise<number> {
  const round = new MixedRound(options);
  await round.run();
  return round.clicks;
}

class MixedRound {
  clicks = 0;
  readonly #options: MixedRoundOptions;
  readonly #agent = new Agent({ connections: AT_ONCE });
  readonly #clickIds: string[] = [];

  constructor(options: MixedRoundOptions) {
    this.#options = options;
  }

  async run(): Promise<void> {
    try {
      await inTurn(TAPS, (n) => this.#tap(n));
      await Promise.all([
        inTurn(PHONES, (n) => this.#firstMinute(n)),
        inTurn(OF_LINKS, (n) => this.#manageLink(n)),
      ]);
      await inTurn(ERASURES, (n) => this.#erase(n));
      await this.#scrape();
    } finally {
      await this.#agent.close();
    }
  }

  async #tap(n: number): Promise<void> {
    const { shortCodes } = this.#options;
    const isPage = n % 4 === 0;
    const { status, location } = await this.#send('GET', `/l/${shortCodes[n % shortCodes.length]}`, {
      from: addressOf(n),
      headers: {
        'user-agent': isPage ? IPHONE : PIXEL,
        accept: isPage ? 'text/html' : '*/*',
        'accept-language': 'en-US,en;q=0.9',
      },
    });
    this.clicks += 1;
    if (status === 302 && location !== null && location.includes('svc_click_id'))
      this.#clickIds.push(clickIdIn(location));
  }

  /** Installs of one phone: one third names its click, one third matches by fingerprint, one third matches nothing. */
  async #firstMinute(n: number): Promise<void> {
    const from = addressOf(n);
    const [installId, userId] = [randomUUID(), `user-${n}`];
    const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: n % 3 === 2 ? '192.0.2.1' : from };
    const clickId = n % 3 === 0 ? this.#clickIds[n] : null;
    const post = (path: string, body: object) => this.#send('POST', `/v1/sdk/${path}`, { from, body });
    await post('install', { installId, clickId, fingerprint });
    await post('open', { openId: randomUUID(), installId, fingerprint });
    await post('identify', { installId, userId });
    const event = () => ({ installId, eventName: 'level', eventId: randomUUID(), properties: { n } });
    await post('event', event());
    await post('events', { events: Array.from({ length: EVENTS_IN_BATCH }, event) });
  }

  async #manageLink(n: number): Promise<void> {
    const { shortCodes } = this.#options;
    await this.#send('POST', '/v1/links', { body: { deepLinkPath: '/made' } });
    const known = shortCodes[n % shortCodes.length];
    await this.#send('PATCH', `/v1/links/${known}`, { body: { deepLinkPath: `/changed/${n}` } });
    await this.#send('GET', '/v1/links?limit=20', {});
    await this.#send('GET', `/v1/links/${known}/stats`, {});
    await this.#send('GET', '/v1/webhooks/deliveries', {});
  }

  async #erase(n: number): Promise<void> {
    const body = { userId: `user-${n}` };
    await this.#send('POST', '/v1/privacy/erase', { body });
  }

  async #scrape(): Promise<void> {
    const headers = { authorization: `Bearer ${this.#options.adminToken}` };
    await this.#send('GET', '/metrics', { headers });
  }

  /** @throws if the response is an error. */
  async #send(
    method: 'GET' | 'POST' | 'PATCH',
    path: string,
    { from = '198.51.100.1', headers = {}, body }: SendOptions,
  ): Promise<{ status: number; location: string | null }> {
    const { url, key } = this.#options;
    const answer = await request(url + path, {
      method,
      dispatcher: this.#agent,
      headers: {
        'x-api-key': key,
        'x-forwarded-for': from,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await answer.body.text();
    if (answer.statusCode >= 400) throw new Error(`${path} was answered ${answer.statusCode}: ${text}`);
    const { location } = answer.headers;
    return { status: answer.statusCode, location: typeof location === 'string' ? location : null };
  }
}

interface SendOptions {
  readonly from?: string;
  readonly headers?: Record<string, string>;
  readonly body?: object;
}

/** Calls `work` with 0 to `count` - 1, several at a time. */
async function inTurn(count: number, work: (n: number) => Promise<void>): Promise<void> {
  let next = 0;
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let n = next++; n < count; n = next++) await work(n);
    }),
  );
}

function addressOf(n: number): string {
  return `203.0.113.${n % ADDRESSES}`;
}
