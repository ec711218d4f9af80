/** The first open: one install, recorded once, however often the app is killed before the answer. */
import { readAttribution } from './answers.ts';
import { withUpdate } from './app-version.ts';
import { ERASED, LOST } from './http.ts';
import { REFUSED_RETRY_MS, type Step } from './lane.ts';
import type { LinkReader } from './links.ts';
import { NOT_CLAIMED } from './opens.ts';
import { readPort, type Session } from './session.ts';
import { readSources, type SourcePorts } from './sources.ts';
import { createSignal, orAfter } from './timing.ts';
import type { Attribution, DeepLink, Ports } from './types.ts';

interface Deps {
  readonly ports: SourcePorts & Pick<Ports, 'clipboard' | 'isExistingUser'>;
  readonly links: LinkReader;
  readonly onLink: (link: DeepLink) => void;
  /** Forgets what waits for an install that was erased on purpose. */
  readonly onErased: () => void;
}

export class Install {
  readonly #session: Session;
  readonly #deps: Deps;
  readonly #answered = createSignal<Attribution>();
  readonly #attempted = createSignal<void>();
  #changed = createSignal<void>();
  #taker: ((link: DeepLink | null) => void) | null = null;
  /** Whether the service said that it does not know the install, although it was sent again. */
  #wasSentAgain = false;

  constructor(session: Session, deps: Deps) {
    this.#session = session;
    this.#deps = deps;
  }

  /** Resolves once the service has answered in this run. */
  get answered(): Promise<Attribution> {
    return this.#answered.promise;
  }

  /** Resolves after the first attempt of this run. */
  get attempted(): Promise<void> {
    return this.#attempted.promise;
  }

  /** Resolves once the service has recorded the install again, or will not. */
  get changed(): Promise<void> {
    return this.#changed.promise;
  }

  /** Sends a pasted token with the install. The link goes to the caller in place of the listeners, if it comes in time. */
  async claim(url: string, timeoutMs: number): Promise<DeepLink | null> {
    const { state, save, log } = this.#session;
    const link = createSignal<DeepLink | null>();
    state.token = url;
    save();
    this.#taker = link.resolve;
    return await orAfter(timeoutMs, link.promise, () => {
      log('warn', NOT_CLAIMED);
      this.#taker = null;
      return null;
    });
  }

  async send(): Promise<Step> {
    const step = await this.#send();
    this.#attempted.resolve();
    return step;
  }

  /** The stored state was read. */
  noteLoaded(): void {
    const { firstOpen } = this.#session.state;
    if (firstOpen !== null) this.#answered.resolve(firstOpen);
    this.noteChanged();
  }

  noteChanged(): void {
    const changed = this.#changed;
    this.#changed = createSignal();
    changed.resolve();
  }

  /** The service recorded something of the install. */
  noteKnown(): void {
    this.#wasSentAgain = false;
  }

  /** @returns what to do if the service has no such install; null for another code. */
  takeRefusal(code: string | null): Step | null {
    const { state, save, log } = this.#session;
    if (code === ERASED) {
      state.isErased = true;
      this.#deps.onErased();
      save();
      log('warn', 'The install was erased on purpose: nothing is recorded before reset()');
      return 'done';
    }
    if (code !== LOST) return null;
    state.isLost = true;
    state.userToSend ??= state.user ?? null;
    save();
    log('warn', 'The service does not know the install; it is sent again');
    if (this.#wasSentAgain) return { retryAfterMs: REFUSED_RETRY_MS };
    this.#wasSentAgain = true;
    return 'more';
  }

  async #send(): Promise<Step> {
    const { state, storage, log, call, sentAt, mayRecord, agreed } = this.#session;
    const { device, sources } = await this.#read();
    if (!mayRecord()) return 'done';
    state.isInstallSent = true;
    this.#session.save();
    await storage.settled();
    // From here on nothing waits: the consent is that of the moment in which the request leaves.
    if (!mayRecord()) return 'done';
    log('debug', `Sending the install ${state.installId}`);
    const answer = await call('POST', '/v1/sdk/install', {
      ...agreed(device),
      ...sources,
      ...(state.token && { clickId: state.token }),
      ...(state.isExistingUser && { existingUser: true }),
      installId: state.installId,
      sentAt: sentAt(),
    });
    if (!this.#session.isOpen()) return 'done';
    const attribution = answer.outcome === 'ok' ? readAttribution(answer.body, null) : null;
    if (attribution !== null) {
      this.#accept(attribution);
      return 'more';
    }
    if (answer.outcome === 'refused' && answer.code === ERASED) return this.takeRefusal(ERASED) ?? 'done';
    const reason = answer.outcome === 'ok' ? 'the answer is no attribution' : answer.reason;
    log('warn', `The install is sent again: ${reason}`);
    return { retryAfterMs: answer.outcome === 'later' ? answer.retryAfterMs : REFUSED_RETRY_MS };
  }

  /** The report of the install, from the phone. */
  async #read() {
    const { device, log } = this.#session;
    const [full, sources] = await Promise.all([
      device(),
      readSources(this.#deps.ports, log),
      this.#readToken(),
      this.#readExistingUser(),
    ]);
    return { device: full, sources };
  }

  /** Once: reading the clipboard may ask the person. */
  async #readToken(): Promise<void> {
    const { state, log, mayRecord } = this.#session;
    if (state.token !== null || state.firstOpen !== null) return;
    const text = await readPort('clipboard', this.#deps.ports.clipboard, log);
    if (mayRecord()) state.token ??= (text !== null && this.#deps.links.findToken(text)) || '';
  }

  /** Once: after an update everybody looks like an existing user. */
  async #readExistingUser(): Promise<void> {
    const { state, log } = this.#session;
    state.isExistingUser ??= (await readPort('existing user', this.#deps.ports.isExistingUser, log)) === true;
  }

  #accept(attribution: Attribution): void {
    const { state, log } = this.#session;
    const isFirst = state.firstOpen === null;
    state.isLost = false;
    state.token = null;
    if (isFirst) {
      state.firstOpen = attribution;
      state.sessionAt = this.#session.now();
      log('debug', describe(attribution));
      this.#giveLink(attribution);
    }
    this.#session.save();
    this.#answered.resolve(state.firstOpen ?? attribution);
    this.noteChanged();
  }

  #giveLink({ link }: Attribution): void {
    if (this.#taker !== null) this.#taker(link && withUpdate(link, this.#session.app()));
    else if (link !== null) this.#deps.onLink(link);
  }
}

function describe({ attributed, method, campaignId }: Attribution): string {
  return attributed
    ? `The install is attributed by ${method} to ${campaignId ?? 'no campaign'}`
    : 'The install matched no click; explain() tells why';
}
