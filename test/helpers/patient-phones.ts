/**
 * Phones and servers that call the service as docs/guide/outages.md asks them to, while people tap links: who is told to come
 * back comes back with the same ids until there is an answer.
 */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { assertCounted } from './counts.ts';
import type { Place } from './engines.ts';
import { clickIdIn } from './load.ts';
import { journalFiles, queryStored } from './stored.ts';
import { IPHONE_FINGERPRINT, PIXEL } from './world.ts';

interface PatientLoadOptions {
  readonly url: string;
  /** A secret key. */
  readonly key: string;
  /** Of links to Play. */
  readonly shortCodes: readonly string[];
  /** So many tap, each with a pause; so many phones go through an app's first minute, again and again. */
  readonly tappers: number;
  readonly phones: number;
  /** In one batch. */
  readonly events: number;
}

/** One answer to a call, which may have needed several. */
export interface Answered {
  readonly path: string;
  readonly status: number;
  readonly code: string | null;
  readonly retryAfter: string | null;
  readonly atMs: number;
  readonly tookMs: number;
}

/** What somebody was told in the end. */
export interface Told {
  readonly kind: 'install' | 'open' | 'event' | 'link';
  /** Made by the client; of a link its short code. */
  readonly id: string;
  readonly answer: Readonly<Record<string, unknown>>;
}

const TAP_PAUSE_MS = 30;
const PHONE_PAUSE_MS = 50;
/** More often, and it would meet the limit of links in a minute. */
const LINK_PAUSE_MS = 1_100;
const AWAY_PAUSE_MS = 500;
/** Whoever waits this long for an answer was forgotten. */
const HANGS_AFTER_MS = 60_000;

export class PatientLoad {
  readonly answers: Answered[] = [];
  readonly told: Told[] = [];
  readonly taps: { readonly status: number; readonly clickId: string | null; readonly atMs: number }[] = [];
  /** Installs by their ids, with the user each was linked to. */
  readonly users = new Map<string, string>();
  /** While the service is started anew: who reaches nobody comes back, too. */
  mayBeAway = false;
  readonly #options: PatientLoadOptions;
  readonly #done: Promise<unknown>;
  #addresses = 0;
  #tapsSent = 0;
  #stopping = false;

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
    // Whoever stops the load hears of what went wrong; nobody needs to wait yet.
    this.#done.catch(() => undefined);
  }

  get clickIds(): string[] {
    return this.taps.flatMap(({ clickId }) => clickId ?? []);
  }

  toldOf(kind: Told['kind']): Told[] {
    return this.told.filter((told) => told.kind === kind);
  }

  /** Lets what is under way come to its end, however often it has to be sent. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#done;
  }

  async #repeat(pauseMs: number, work: () => Promise<void>): Promise<void> {
    while (!this.#stopping) {
      await work();
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
    // Without an ID where the click could not be kept.
    const clickId = location?.includes('svc_click_id') ? clickIdIn(location) : null;
    this.taps.push({ status, clickId, atMs: Date.now() });
  }

  /** Installs the app, opens it by a link, signs in, and does much. */
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

  /** Sends the same again for as long as it is told to come back, as late as it is told. */
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

  /** Null where nobody was reached. */
  async #fetch(url: string, request: RequestInit) {
    try {
      const answer = await fetch(url, { ...request, signal: AbortSignal.timeout(HANGS_AFTER_MS) });
      return { status: answer.status, headers: answer.headers, text: await answer.text() };
    } catch (error) {
      if (this.mayBeAway && error instanceof TypeError) return null;
      throw error;
    }
  }

  /** Callers have many: calls of the SDK are limited by address. */
  #address(): string {
    this.#addresses += 1;
    return `10.${(this.#addresses >> 16) & 255}.${(this.#addresses >> 8) & 255}.${this.#addresses & 255}`;
  }
}

/** Whether everything that was acknowledged is stored and counted, once, and nothing waits in a journal. */
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
