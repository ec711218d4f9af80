/**
 * Phones and servers that call the service as docs/guide/outages.md requires, while visitors tap links: a call that
 * gets a retryable response is repeated with the same IDs until it succeeds.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { IPHONE_FINGERPRINT, PIXEL } from './callers.ts';
import { assertCounted } from './counts.ts';
import type { Place } from './engines.ts';
import { clickIdIn } from './load.ts';
import { journalFiles, queryStored } from './stored.ts';
import { waitFor } from './wait-for.ts';

interface PatientLoadOptions {
  readonly url: string;
  /** A secret key. */
  readonly key: string;
  /** Codes of links to Play. */
  readonly shortCodes: readonly string[];
  /** Concurrent visitors, each with pauses; concurrent phones, each repeating an app's first minute. */
  readonly tappers: number;
  readonly phones: number;
  /** Events in one batch. */
  readonly events: number;
}

/** The final response to a call, which may have taken several attempts. */
export interface Answered {
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly retryAfter: string | null;
  readonly atMs: number;
  readonly tookMs: number;
}

/** An acknowledged record. */
export interface Told {
  readonly kind: 'install' | 'open' | 'event' | 'link';
  /** Made by the client; for a link, its short code. */
  readonly id: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

const TAP_PAUSE_MS = 30;
const PHONE_PAUSE_MS = 50;
/** A shorter pause would exceed the limit of links a minute. */
const LINK_PAUSE_MS = 1_100;
const AWAY_PAUSE_MS = 500;
/** A call that waits longer than this counts as lost. */
const HANGS_AFTER_MS = 60_000;

export class PatientLoad {
  readonly answers: Answered[] = [];
  readonly told: Told[] = [];
  readonly taps: { readonly status: number; readonly clickId: string | null; readonly atMs: number }[] = [];
  /** Installs by ID, with the user that each was linked to. */
  readonly users = new Map<string, string>();
  /** While the service restarts, callers also retry refused connections. */
  mayBeAway = false;
  readonly #options: PatientLoadOptions;
  readonly #done: Promise<unknown>;
  #addresses = 0;
  #tapsSent = 0;
  #stopping = false;
  #isPaused = false;
  #working = 0;

  /** Starts at once. */
  constructor(options: PatientLoadOptions) {
    this.#options = options;
    this.#done = Promise.all([
      ...Array.from({ length: options.tappers }, () => this.#repeat(TAP_PAUSE_MS, () => this.#tap())),
      ...Array.from({ length: options.phones }, () =>
        this.#repeat(PHONE_PAUSE_MS, () => this.#firstMinute()),
      ),
      this.#repeat(LINK_PAUSE_MS, () => this.#makeLink()),
    ]);
    // `stop` reports the error; without this handler, a rejection before that call would be unhandled.
    this.#done.catch(() => undefined);
  }

  get clickIds(): string[] {
    return this.taps.flatMap(({ clickId }) => clickId ?? []);
  }

  toldOf(kind: Told['kind']): Told[] {
    return this.told.filter((told) => told.kind === kind);
  }

  /** Waits for all calls in flight, including their retries. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#done;
  }

  /** Does the work while no call is in flight. */
  async pauseFor(work: () => Promise<void> | void): Promise<void> {
    this.#isPaused = true;
    await waitFor('the calls in flight to end', () => this.#working === 0 || undefined);
    await work();
    this.#isPaused = false;
  }

  async #repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#stopping) {
      if (!this.#isPaused) {
        this.#working += 1;
        await work().finally(() => (this.#working -= 1));
      }
      await sleep(pauseMs);
    }
  }

  async #tap(): Promise<void> {
    const { url, shortCodes } = this.#options;
    this.#tapsSent += 1;
    const answer = await this.#fetch(`${url}/l/${shortCodes[this.#tapsSent % shortCodes.length]}`, {
      redirect: 'manual',
      headers: { 'user-agent': PIXEL, 'x-forwarded-for': this.#address() },
    });
    if (answer === null) return;
    const { status } = answer;
    const location = answer.headers.get('location');
    // The response has no ID if the click could not be stored.
    const clickId = location?.includes('svc_click_id') ? clickIdIn(location) : null;
    this.taps.push({ status, clickId, atMs: Date.now() });
  }

  /** Installs the app, opens it through a link, signs in and sends events. */
  async #firstMinute(): Promise<void> {
    const from = this.#address();
    const [installId, openId, userId] = [randomUUID(), randomUUID(), `user-${randomUUID()}`];
    const fingerprint = { ...IPHONE_FINGERPRINT, ipAddress: from };
    const clickId = this.clickIds.at(-1);
    await this.#record('install', installId, { installId, clickId, fingerprint });
    await this.#record('open', openId, { openId, installId, fingerprint });
    await this.#send('POST', '/v1/sdk/identify', { installId, userId });
    this.users.set(installId, userId);
    const events = Array.from({ length: this.#options.events }, () => ({
      installId,
      eventName: 'level',
      eventId: randomUUID(),
    }));
    const { results } = await this.#send('POST', '/v1/sdk/events', { events });
    for (const [n, answer] of (results as Record<string, unknown>[]).entries())
      this.told.push({ kind: 'event', id: events[n]?.eventId ?? '', answer });
  }

  async #record(kind: 'install' | 'open', id: string, body: object): Promise<void> {
    const answer = await this.#send('POST', `/v1/sdk/${kind}`, body);
    this.told.push({ kind, id, answer });
  }

  async #makeLink(): Promise<void> {
    const headers = { 'idempotency-key': randomUUID() };
    const answer = await this.#send('POST', '/v1/links', { deepLinkPath: '/made' }, headers);
    this.told.push({ kind: 'link', id: String(answer.shortCode), answer });
  }

  /** Repeats the request as long as the response asks for it, after the delay that it gives. */
  async #send(
    method: string,
    path: string,
    body: object,
    more: object = {},
  ): Promise<Record<string, unknown>> {
    const { url, key } = this.#options;
    const headers = { 'x-api-key': key, 'content-type': 'application/json', ...more };
    for (;;) {
      const startedMs = Date.now();
      const answer = await this.#fetch(url + path, {
        method,
        headers: { ...headers, 'x-forwarded-for': this.#address() },
        body: JSON.stringify(body),
      });
      if (answer === null) {
        await sleep(AWAY_PAUSE_MS);
        continue;
      }
      const { status, text } = answer;
      const [code, retryAfter] = [answer.headers.get('x-service-error'), answer.headers.get('retry-after')];
      this.answers.push({ path, status, code, retryAfter, atMs: Date.now(), tookMs: Date.now() - startedMs });
      if (status < 300) return text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      if (status !== 503 && status !== 429) throw new Error(`${path} was answered ${status}: ${text}`);
      await sleep(Number(retryAfter) * 1_000);
    }
  }

  /** Null if the connection was refused. */
  async #fetch(url: string, request: RequestInit) {
    try {
      const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(HANGS_AFTER_MS) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      if (this.mayBeAway && error instanceof TypeError) return null;
      throw error;
    }
  }

  /** Uses many caller addresses, since SDK calls are rate-limited by address. */
  #address(): string {
    this.#addresses += 1;
    return `10.${(this.#addresses >> 16) & 255}.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }
}

/** Checks that every acknowledged record is stored and counted once, and that no journal holds unapplied clicks. */
export async function assertKept(place: Place, load: PatientLoad): Promise<void> {
  const told = (kind: Told['kind']) => load.toldOf(kind).map(({ id }) => id);
  for (const [column, table, ids] of [
    ['id', 'clicks', load.clickIds],
    ['id', 'installs', told('install')],
    ['id', 'opens', told('open')],
    ['client_event_id', 'events', told('event')],
  ] as const) {
    const stored = (await queryStored(place, `select ${column} as id from ${table}`)).map(({ id }) => id);
    assert.deepEqual(stored.toSorted(), ids.toSorted(), table);
  }
  assert.deepEqual(journalFiles(place), []);
  await assertCounted(place);
}
