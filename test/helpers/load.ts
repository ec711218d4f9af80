/** A load of concurrent taps and installs that records every response. */
import { randomUUID } from 'node:crypto';
import { PIXEL } from './callers.ts';

interface LoadOptions {
  readonly url: string;
  /** Links to Play, so that the response to a tap carries the click's ID. */
  readonly shortCodes: readonly string[];
  /** A secret key. */
  readonly key: string;
  readonly taps: number;
  readonly installs: number;
  /**
   * Retries broken connections and 503 responses, for tests in which another process takes over. Otherwise they end the
   * load.
   */
  readonly outlivesBreaks?: boolean;
}

/** Both installs of a pair name the same click; only one may get it. */
export interface SentInstall {
  readonly installId: string;
  readonly clickId: string;
  /** The body of the 200 response, once received. */
  answer: InstallAnswer | null;
}

export interface InstallAnswer {
  readonly method: string;
  readonly installId: string;
  readonly clickId: string | null;
}

export class Load {
  /** IDs of the clicks whose 302 response arrived. */
  readonly clickIds: string[] = [];
  readonly installs: SentInstall[] = [];
  tapsSent = 0;
  readonly #options: LoadOptions;
  readonly #unclaimed: string[] = [];
  readonly #done: Promise<unknown>;
  #stopping = false;
  #ended = false;

  /** Starts at once; runs until `stop` or until the server is gone. */
  constructor(options: LoadOptions) {
    this.#options = options;
    this.#done = Promise.all([
      ...Array.from({ length: options.taps }, () => this.#repeat(() => this.#tap())),
      ...Array.from({ length: options.installs }, () => this.#repeat(() => this.#installTwice())),
    ]).finally(() => {
      this.#ended = true;
    });
    // `stop` reports the error; without this handler, a rejection before that call would be unhandled.
    this.#done.catch(() => undefined);
  }

  get answeredInstalls(): SentInstall[] {
    return this.installs.filter(({ answer }) => answer !== null);
  }

  /** Resolves after this many clicks and installs; rejects if the load ends before. */
  async reaches(clicks: number, installs: number): Promise<void> {
    while (this.clickIds.length < clicks || this.answeredInstalls.length < installs) {
      if (this.#ended) {
        await this.#done;
        throw new Error('the server ended before it had answered enough requests');
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }

  /** Waits for the requests in flight. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#done;
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (!this.#stopping)
      try {
        await work();
      } catch (error) {
        // `fetch` throws a TypeError when the connection breaks: the server was killed.
        if (!(error instanceof TypeError || error instanceof ComeBack)) throw error;
        if (this.#options.outlivesBreaks !== true) {
          if (error instanceof ComeBack) throw error;
          return;
        }
      }
  }

  async #tap(): Promise<void> {
    const { url, shortCodes } = this.#options;
    const shortCode = shortCodes[this.tapsSent % shortCodes.length];
    this.tapsSent += 1;
    const answer = await fetch(`${url}/l/${shortCode}`, {
      redirect: 'manual',
      headers: { 'user-agent': PIXEL, 'x-forwarded-for': addressOf(this.tapsSent) },
    });
    if (answer.status !== 302) throw new Error(`expected 302 for a tap, got ${answer.status}`);
    const clickId = clickIdIn(answer.headers.get('location'));
    this.clickIds.push(clickId);
    this.#unclaimed.push(clickId);
    await answer.arrayBuffer();
  }

  async #installTwice(): Promise<void> {
    const clickId = this.#unclaimed.shift();
    if (clickId === undefined) return void (await new Promise((resolve) => setTimeout(resolve, 1)));
    await Promise.all([this.#install(clickId), this.#install(clickId)]);
  }

  async #install(clickId: string): Promise<void> {
    const install: SentInstall = { installId: randomUUID(), clickId, answer: null };
    this.installs.push(install);
    install.answer = await sendInstall(this.#options, install, addressOf(this.installs.length));
  }
}

/** The response was a 503: the install was not recorded. */
class ComeBack extends Error {}

/** Records an install with a server key. */
export async function sendInstall(
  { url, key }: Pick<LoadOptions, 'url' | 'key'>,
  { installId, clickId }: Pick<SentInstall, 'installId' | 'clickId'>,
  from: string,
): Promise<InstallAnswer> {
  const answer = await fetch(`${url}/v1/sdk/install`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json', 'x-forwarded-for': from },
    body: JSON.stringify({ installId, clickId, fingerprint: { platform: 'ANDROID', ipAddress: from } }),
  });
  const text = await answer.text();
  if (answer.status === 503) throw new ComeBack(text);
  if (answer.status !== 200) throw new Error(`expected 200 for an install, got ${answer.status}: ${text}`);
  return JSON.parse(text) as InstallAnswer;
}

export function clickIdIn(location: string | null): string {
  const referrer = location === null ? null : new URL(location).searchParams.get('referrer');
  const clickId = new URLSearchParams(referrer ?? '').get('svc_click_id');
  if (clickId === null) throw new Error(`no click ID in ${location}`);
  return clickId;
}

/** Uses many caller addresses, since SDK calls are rate-limited by address. */
function addressOf(number: number): string {
  return `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
}
