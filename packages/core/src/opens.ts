/** Links that open the app: asked from the service, recorded once, and delivered without it if it is away. */
import { readAttribution, readDirectLink } from './answers.ts';
import type { Answer } from './http.ts';
import type { Step } from './lane.ts';
import type { LinkReader } from './links.ts';
import type { Session } from './session.ts';
import type { Open } from './state.ts';
import { createSignal, orAfter, type Signal } from './timing.ts';
import type { DeepLink } from './types.ts';

/** Where a URL came from. One tap may arrive from two sources, so equal URLs of different ones count once. */
export type Source = 'initial' | 'event' | 'caller';

/** A caller is not kept waiting; listeners get a later answer. */
export const CLAIM_TIMEOUT_MS = 15_000;
const SAME_TAP_MS = 5_000;
/** If the service takes longer, the app gets the link as read from its URL. */
const SLOW_ANSWER_MS = 5_000;
/** For the install, so that the service knows it before its first open. */
const INSTALL_WAIT_MS = 2_000;
/** An open of an earlier run is still recorded, but no screen appears for it. */
const STALE_MS = 3_600_000;
const MAX_OPENS = 50;

interface Receiver {
  readonly source: Source;
  readonly url: string;
  readonly at: number;
  /** Whether a caller has the link, so that listeners do not get it too. */
  isTaken: boolean;
  readonly link: Signal<DeepLink | null>;
}

interface Deps {
  readonly links: LinkReader;
  readonly install: { readonly attempted: Promise<void> };
  readonly onLink: (link: DeepLink) => void;
  /** Keeps a link from listeners that were to get it. */
  readonly onTaken: (url: string) => void;
  /** Begins to send. */
  readonly wake: () => void;
}

export class Opens {
  readonly #session: Session;
  readonly #deps: Deps;
  readonly #receivers = new Map<string, Receiver>();
  #recent: Receiver[] = [];

  constructor(session: Session, deps: Deps) {
    this.#session = session;
    this.#deps = deps;
    for (const open of session.state.opens) open.isDelivered ||= session.now() - open.at > STALE_MS;
  }

  /** @returns the link; null if the URL is not one of the app's, or the service does not know it. */
  async add(url: string, source: Source): Promise<DeepLink | null> {
    const { log, now } = this.#session;
    if (this.#deps.links.read(url) === null) {
      log('debug', 'A URL was ignored: its host is not in `hosts`');
      return null;
    }
    this.#recent = this.#recent.filter(({ at }) => now() - at < SAME_TAP_MS);
    const same = this.#recent.find((other) => other.url === url && other.source !== source);
    if (same !== undefined) {
      if (source === 'caller' && !same.isTaken) {
        same.isTaken = true;
        this.#deps.onTaken(url);
      }
      return await same.link.promise;
    }
    log('debug', `The app was opened by ${url}`);
    const receiver = this.#enqueue(url, source, false);
    this.#recent.push(receiver);
    return await receiver.link.promise;
  }

  /** Exchanges the URL with the token of the landing page. */
  async claim(url: string): Promise<DeepLink | null> {
    const receiver = this.#enqueue(url, 'caller', true);
    return await orAfter(CLAIM_TIMEOUT_MS, receiver.link.promise, () => {
      receiver.isTaken = false;
      return null;
    });
  }

  /** Sends the oldest open. */
  async send(): Promise<Step> {
    const { state, storage, log } = this.#session;
    const [open] = state.opens;
    if (open === undefined || this.#session.consent() === 'pending') return 'done';
    if (this.#session.mayRecord() && state.firstOpen === null)
      await orAfter(INSTALL_WAIT_MS, this.#deps.install.attempted, () => {});
    await storage.settled();
    const slow = setTimeout(() => this.#deliverLocally(), SLOW_ANSWER_MS);
    const answer = await this.#ask(open);
    clearTimeout(slow);
    if (!this.#session.isOpen()) return 'done';
    const link = answer?.outcome === 'ok' ? this.#readLink(open, answer) : null;
    if (answer?.outcome === 'later' || link === 'unreadable') {
      const { reason, retryAfterMs } =
        answer?.outcome === 'later' ? answer : { reason: 'the answer is no link', retryAfterMs: 0 };
      log('warn', `An open is sent again: ${reason}`);
      this.#deliverLocally();
      return { retryAfterMs };
    }
    if (answer?.outcome === 'refused') log('warn', `${open.url}: ${answer.reason}`);
    this.#deliver(open, answer === null ? this.#localLink(open) : link);
    state.opens = state.opens.filter((other) => other !== open);
    this.#session.save();
    return 'more';
  }

  #enqueue(url: string, source: Source, isPasted: boolean): Receiver {
    const { state, now, newId } = this.#session;
    const openId = newId();
    const at = now();
    const receiver: Receiver = { source, url, at, isTaken: source === 'caller', link: createSignal() };
    this.#receivers.set(openId, receiver);
    state.opens.push({ openId, at, url, isPasted, isDelivered: false });
    const [oldest] = state.opens;
    if (state.opens.length > MAX_OPENS && oldest !== undefined) {
      this.#deliver(oldest, this.#localLink(oldest));
      state.opens.shift();
    }
    this.#session.save();
    this.#deps.wake();
    return receiver;
  }

  /** Delivers once; null if there is no link behind the URL. The caller saves the state. */
  #deliver(open: Open, link: DeepLink | null): void {
    if (open.isDelivered) return;
    open.isDelivered = true;
    const receiver = this.#receivers.get(open.openId);
    this.#receivers.delete(open.openId);
    receiver?.link.resolve(link);
    if (link !== null && !receiver?.isTaken) this.#deps.onLink(link);
  }

  /** The links as read from their URLs, while the service is away. */
  #deliverLocally(): void {
    for (const open of this.#session.state.opens)
      if (!open.isPasted) this.#deliver(open, this.#localLink(open));
    this.#session.save();
  }

  #localLink({ url }: Open): DeepLink | null {
    return this.#deps.links.read(url)?.local ?? null;
  }

  /** Calls the service; null if the person agreed to no call that would tell more than the URL. */
  async #ask(open: Open): Promise<Answer | null> {
    const { state, call } = this.#session;
    const { url, openId, isPasted } = open;
    const clickId = isPasted ? url : this.#deps.links.read(url)?.clickId;
    if (!this.#session.mayRecord()) {
      if (open.isDelivered || (clickId && !isPasted)) return null;
      return await call('POST', '/v1/sdk/resolve', { url: isPasted ? url.split(/[?#]/)[0] : url });
    }
    const body = { openId, installId: state.installId, ...(await this.#session.device()) };
    return clickId
      ? await call('POST', '/v1/sdk/open', { ...body, clickId })
      : await call('POST', '/v1/sdk/resolve', { ...body, url });
  }

  #readLink(open: Open, { body }: Answer & { outcome: 'ok' }): DeepLink | null | 'unreadable' {
    const { url, isPasted } = open;
    if ('deepLinkPath' in body) return readDirectLink(body, url) ?? 'unreadable';
    const attribution = readAttribution(body, isPasted ? null : url);
    if (attribution === null) return 'unreadable';
    return attribution.link ?? (isPasted ? null : this.#localLink(open));
  }
}
