/** Links that open the app: asked from the service, recorded once, and delivered without it if it is away. */
import { withUpdate } from './app-version.ts';
import type { Answer } from './http.ts';
import type { Install } from './install.ts';
import type { Step } from './lane.ts';
import { type LinkReader, localLink } from './links.ts';
import { askOpen, isSameScreen, readOpen } from './open-request.ts';
import type { Session } from './session.ts';
import type { Open } from './state.ts';
import { createSignal, orAfter, type Signal } from './timing.ts';
import type { DeepLink } from './types.ts';

/** Where a URL came from. */
export type Source = 'initial' | 'event' | 'caller';

const SAME_TAP_MS = 1_000;
/** For the install, so that the service knows it before its first open. */
const INSTALL_WAIT_MS = 2_000;
/** Later the person has gone on. */
const CORRECTION_MS = 3_600_000;
const MAX_OPENS = 50;
export const NOT_CLAIMED = 'claim: the service has not answered yet; listeners get the link';

interface Tap {
  readonly url: string;
  /** In milliseconds of `uptime`. */
  readonly at: number;
  readonly launchId: string | null;
  readonly openId: string;
  /** Whether a caller has the link, so that listeners do not get it too. */
  isTaken: boolean;
  readonly link: Signal<DeepLink | null>;
}

interface Deps {
  readonly links: LinkReader;
  readonly install: Install;
  readonly linkTimeoutMs: number;
  /** Resolves once the stored state is known, or after a while without it. */
  readonly ready: () => Promise<void>;
  readonly onLink: (link: DeepLink) => void;
  /** A URL opened the app. */
  readonly onOpened: () => void;
  /** Keeps a link from listeners that were to get it. */
  readonly onTaken: (url: string) => void;
  /** The record lane sends the install again, or nothing more. */
  readonly onRefusedInstall: () => void;
  /** Begins to send. */
  readonly wake: () => void;
}

export class Opens {
  readonly #session: Session;
  readonly #deps: Deps;
  /** The last ones of this process. */
  #taps: Tap[] = [];
  /** The newest link that the app got, if only its URL told it. */
  #guess: { readonly openId: string; readonly at: number; readonly link: DeepLink } | null = null;

  constructor(session: Session, deps: Deps) {
    this.#session = session;
    this.#deps = deps;
  }

  /**
   * @param launchId of the process, for the URL that started it and those of the running app.
   * @param timeoutMs until the link is the one that the URL tells.
   * @returns the link; null if the URL is not one of the app's, or the service does not know it.
   */
  async add(
    url: string,
    { source, launchId, timeoutMs }: { source: Source; launchId: string | null; timeoutMs: number },
  ): Promise<DeepLink | null> {
    const { log, uptime, newId } = this.#session;
    if (this.#deps.links.read(url) === null) {
      log('debug', 'A URL was ignored: its host is not in `hosts`');
      return null;
    }
    this.#deps.onOpened();
    const launched = source === 'event' ? null : launchId;
    const same = this.#taps.find(
      (tap) =>
        tap.url === url &&
        (uptime() - tap.at < SAME_TAP_MS || (launched !== null && tap.launchId === launched)),
    );
    if (same !== undefined) {
      if (source === 'caller' && !same.isTaken) {
        same.isTaken = true;
        this.#deps.onTaken(url);
      }
      this.#deliverAfter(timeoutMs, same.openId);
      return await same.link.promise;
    }
    log('debug', `The app was opened by ${url}`);
    const openId = this.known(url, launched)?.openId ?? newId();
    this.#noteLaunch({ url, openId }, launchId);
    return await this.#enqueue({ url, openId, launchId, isTaken: source === 'caller' }, timeoutMs);
  }

  /** The open of a URL that this process reported before, even before a reload of its JavaScript. */
  known(url: string, launchId: string | null): { readonly openId: string } | undefined {
    const { launch } = this.#session.state;
    return launchId !== null && launch?.id === launchId
      ? launch.opens.find((open) => open.url === url)
      : undefined;
  }

  /** Exchanges the URL with the token of the landing page. */
  async claim(url: string): Promise<DeepLink | null> {
    const openId = this.#session.newId();
    const link = this.#enqueue({ url, openId, launchId: null, isTaken: true }, null);
    const tap = this.#taps[this.#taps.length - 1];
    return await orAfter(this.#deps.linkTimeoutMs, link, () => {
      this.#session.log('warn', NOT_CLAIMED);
      if (tap !== undefined) tap.isTaken = false;
      return null;
    });
  }

  /** Sends the oldest open. */
  async send(): Promise<Step> {
    const { state, storage, log } = this.#session;
    await this.#deps.ready();
    if (!this.#session.isOpen() || this.#session.consent() === 'pending') return 'done';
    const isRecorded = this.#session.mayRecord();
    const open = state.opens.find((each) => isRecorded || !each.isAsked);
    if (open === undefined) return 'done';
    if (isRecorded && state.firstOpen === null)
      await orAfter(INSTALL_WAIT_MS, this.#deps.install.attempted, () => {});
    await storage.settled();
    const slow = setTimeout(() => this.deliverLocally(), this.#deps.linkTimeoutMs);
    const device = isRecorded ? await this.#session.device() : await this.#session.appRead().then(() => null);
    // From here on nothing waits: the person may have answered anew meanwhile, or the open may be erased.
    const isSame = this.#session.isOpen() && this.#session.mayRecord() === isRecorded;
    if (!isSame || this.#session.consent() === 'pending' || !state.opens.includes(open)) {
      clearTimeout(slow);
      return 'more';
    }
    const isWanted = !open.isDelivered || this.#guess?.openId === open.openId;
    const answer = await askOpen(this.#session, open, { links: this.#deps.links, isWanted, device });
    if (answer?.outcome !== 'later') clearTimeout(slow);
    if (!this.#session.isOpen()) return 'done';
    const refusal = answer?.outcome === 'refused' ? this.#deps.install.takeRefusal(answer.code) : null;
    if (refusal !== null) {
      this.#deps.onRefusedInstall();
      return refusal === 'done' ? 'more' : { retryAfterMs: 0 };
    }
    const link = this.#read(open, answer);
    if (link === 'unreadable') {
      const { reason, retryAfterMs } =
        answer?.outcome === 'later' ? answer : { reason: 'the answer is no link', retryAfterMs: 0 };
      log('warn', `An open is sent again: ${reason}`);
      // The next attempt may be in time for the others.
      this.deliverLocally(({ unresolved }) => !unresolved);
      return { retryAfterMs };
    }
    if (answer?.outcome === 'refused') log('warn', `${open.url}: ${answer.reason}`);
    this.#deliver(open, link);
    // What was asked before the storage answered is recorded later.
    if (isRecorded || this.#session.isLoaded()) state.opens = state.opens.filter((each) => each !== open);
    else open.isAsked = true;
    this.#session.save();
    return 'more';
  }

  /** The links as read from their URLs. Listeners wait for the person's consent; a caller does not. */
  deliverLocally(isChosen: (link: DeepLink, open: Open) => boolean = () => true): void {
    const isPending = this.#session.consent() === 'pending';
    let isAny = false;
    for (const open of this.#session.state.opens) {
      const link = localLink(this.#deps.links, open.url);
      if (link === null || open.isPasted || open.isDelivered || !isChosen(link, open)) continue;
      if (isPending && !this.#tapOf(open)?.isTaken) continue;
      this.#guess = { openId: open.openId, at: this.#session.uptime(), link };
      this.#give(open, link);
      isAny = true;
    }
    if (isAny) this.#session.save();
  }

  /** Nothing is asked before the person has answered. */
  deliverPending(): void {
    if (this.#session.consent() === 'pending') this.deliverLocally();
  }

  async #enqueue(
    { url, openId, launchId, isTaken }: Pick<Tap, 'url' | 'openId' | 'launchId' | 'isTaken'>,
    timeoutMs: number | null,
  ): Promise<DeepLink | null> {
    const isPasted = timeoutMs === null;
    const { state, now, uptime } = this.#session;
    const tap: Tap = { url, openId, launchId, isTaken, at: uptime(), link: createSignal() };
    const [first] = this.#taps;
    // Its caller gets what the URL tells, before the tap is forgotten.
    if (this.#taps.length >= MAX_OPENS) this.deliverLocally((_link, open) => open.openId === first?.openId);
    this.#taps = [...this.#taps.slice(1 - MAX_OPENS), tap];
    state.opens.push({ openId, at: now(), url, isPasted, isDelivered: false });
    const [oldest] = state.opens;
    if (state.opens.length > MAX_OPENS && oldest !== undefined) {
      this.deliverLocally((_link, open) => open === oldest);
      state.opens.shift();
    }
    this.#session.save();
    this.#deps.wake();
    if (timeoutMs !== null) this.#deliverAfter(timeoutMs, openId);
    void this.#deps.ready().then(() => this.deliverPending());
    return await tap.link.promise;
  }

  #deliverAfter(timeoutMs: number, openId: string): void {
    setTimeout(() => this.deliverLocally((_link, open) => open.openId === openId), timeoutMs);
  }

  #read(open: Open, answer: Answer | null): DeepLink | null | 'unreadable' {
    if (answer === null) return localLink(this.#deps.links, open.url);
    if (answer.outcome === 'later') return 'unreadable';
    return answer.outcome === 'ok' ? readOpen(open, answer.body, this.#deps.links) : null;
  }

  /** Once; what the app got from the URL alone is corrected. The caller saves the state. */
  #deliver(open: Open, link: DeepLink | null): void {
    if (!open.isDelivered) {
      this.#guess = null;
      this.#give(open, link);
      return;
    }
    const { openId, at, link: given } = this.#guess ?? {};
    if (given === undefined || openId !== open.openId || !link || link.unresolved) return;
    this.#guess = null;
    const told = withUpdate(link, this.#session.app());
    if (this.#session.uptime() - (at ?? 0) < CORRECTION_MS && !isSameScreen(told, given))
      this.#deps.onLink({ ...link, correctionOf: open.url });
  }

  #give(open: Open, link: DeepLink | null): void {
    open.isDelivered = true;
    const tap = this.#tapOf(open);
    tap?.link.resolve(link && withUpdate(link, this.#session.app()));
    if (link !== null && !tap?.isTaken) this.#deps.onLink(link);
  }

  #tapOf({ openId }: Open): Tap | undefined {
    return this.#taps.find((tap) => tap.openId === openId);
  }

  /** Stored with the open, in one write. */
  #noteLaunch(open: { readonly url: string; readonly openId: string }, id: string | null): void {
    const { state } = this.#session;
    if (id === null) return;
    const opens = state.launch?.id === id ? state.launch.opens.filter(({ url }) => url !== open.url) : [];
    state.launch = { id, opens: [...opens.slice(-9), open] };
  }
}
