/** One run of the client, until it is reset: it works in memory at once, and adds what was stored when it is read. */
import { adopt } from './adopt.ts';
import { NOT_ANSWERED } from './answers.ts';
import { forVersion } from './app-version.ts';
import { Conversion } from './conversion.ts';
import { CREATE_TIMEOUT_MS, createLink } from './create-link.ts';
import { type Tracked, toEvent } from './event.ts';
import { EventQueue } from './event-queue.ts';
import { explain } from './explain.ts';
import { Install } from './install.ts';
import { createLane, type Lane } from './lane.ts';
import { leaveStorage, load, type Stored, takeStorage } from './load.ts';
import { openSession, type Reset, type RunDeps, type RunSession } from './open-session.ts';
import { Opens, type Source } from './opens.ts';
import { eraseStored, removeEmpty } from './reset.ts';
import { noteDropped, sendRecord } from './send-record.ts';
import { beginsSession } from './session.ts';
import { inBackground, orAfter } from './timing.ts';
import type { Attribution, Consent, DeepLink, Explanation, LinkSource, NewLink } from './types.ts';
import { setUser } from './user.ts';
import { WaitingLinks } from './waiting-links.ts';

const FIRST_OPEN_TIMEOUT_MS = 1_500;
const LINK_TIMEOUT_MS = 2_000;
/** For how long calls wait for what is stored. */
const LOAD_WAIT_MS = 1_000;
/** Events of one moment go together. */
const BATCH_DELAY_MS = 1_000;

/** The methods of `Throughline`. */
export class Run {
  readonly #deps: RunDeps;
  readonly #session: RunSession;
  readonly #queue: EventQueue;
  readonly #links: WaitingLinks;
  readonly #install: Install;
  readonly #opens: Opens;
  readonly #openLane: Lane;
  readonly #recordLane: Lane;
  readonly #conversion: Conversion | null;
  readonly #loadedOrLate: Promise<void>;
  /** After `shutdown`. */
  written = Promise.resolve();
  #isBegun = false;
  #batchTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(deps: RunDeps) {
    this.#deps = deps;
    this.#session = openSession(deps);
    const { ports, links, random } = deps;
    const { session } = this.#session;
    this.#queue = new EventQueue({
      ...session,
      onDropped: (count, reason) => noteDropped(session, count, reason),
    });
    this.#links = new WaitingLinks(session, deps.listeners);
    const onLink = (link: DeepLink) => this.#links.add(link);
    this.#install = new Install(session, {
      ...{ ports, links, onLink },
      onErased: () => this.#forget('the install was erased'),
    });
    this.#opens = new Opens(session, {
      ...{ links, onLink, install: this.#install },
      onOpened: () => this.#links.removeDeferred(),
      onTaken: (url) => this.#links.remove(url),
      ready: () => this.ready(),
      linkTimeoutMs: this.#linkTimeoutMs,
      onRefusedInstall: () => void this.#recordLane.wake(true),
      wake: () => void this.#openLane.wake(true),
    });
    const record = { session, queue: this.#queue, install: this.#install };
    this.#openLane = createLane(() => this.#opens.send(), random);
    this.#recordLane = createLane(() => sendRecord(record), random);
    this.#conversion = ports.conversion ? new Conversion(session, ports.conversion, random) : null;
    this.#loadedOrLate = this.isLoaded ? Promise.resolve() : orAfter(LOAD_WAIT_MS, this.#load(), () => {});
  }

  get #linkTimeoutMs(): number {
    return this.#deps.config.linkTimeoutMs ?? LINK_TIMEOUT_MS;
  }

  get isLoaded(): boolean {
    return this.#session.session.isLoaded();
  }

  /** Resolves once the stored state is known, or after a while without it. */
  async ready(): Promise<void> {
    if (!this.isLoaded) await this.#loadedOrLate;
  }

  /** Begins to send, and reads the URL that started the app. */
  begin(isInitialUrlNew: boolean): void {
    const { ports, log } = this.#deps;
    this.#isBegun = true;
    if (ports.links !== undefined && isInitialUrlNew) {
      inBackground(LOAD_WAIT_MS, () => this.#links.releaseDeferred());
      this.#readInitialUrl(ports.links).catch((cause) =>
        log('warn', `Reading the first URL failed: ${cause}`),
      );
    } else this.#links.releaseDeferred();
    this.#wake();
  }

  deliver(): void {
    this.#links.deliver();
  }

  async firstOpen(): Promise<Attribution> {
    const { session } = this.#session;
    const timeoutMs = this.#deps.config.firstOpenTimeoutMs ?? FIRST_OPEN_TIMEOUT_MS;
    const answered = async () => {
      await this.ready();
      const isRefused = this.isLoaded && !session.mayRecord() && session.consent() !== 'pending';
      const { firstOpen } = session.state;
      return await forVersion(
        firstOpen ?? (isRefused ? NOT_ANSWERED : await this.#install.answered),
        session,
      );
    };
    return await orAfter(timeoutMs, answered(), () => NOT_ANSWERED);
  }

  async open(
    url: string,
    source: Source,
    launchId: string | null,
    timeoutMs = this.#linkTimeoutMs,
  ): Promise<DeepLink | null> {
    // What is stored tells a reload from a new tap.
    if (launchId !== null && source !== 'event' && !this.isLoaded) {
      timeoutMs /= 2;
      await orAfter(timeoutMs, this.ready(), () => {});
    }
    if (source === 'initial' && this.#opens.known(url, launchId) !== undefined) {
      this.#links.removeDeferred();
      return null;
    }
    return await this.#opens.add(url, { source, launchId, timeoutMs });
  }

  async claim(url: string): Promise<DeepLink | null> {
    await this.ready();
    const { state, consent } = this.#session.session;
    if (consent() === 'denied' || state.firstOpen !== null || state.isInstallSent)
      return await this.#opens.claim(url);
    const claimed = this.#install.claim(url, this.#linkTimeoutMs);
    void this.#recordLane.wake();
    return await claimed;
  }

  track(tracked: Tracked): void {
    const { name } = tracked;
    const { log, newId } = this.#deps;
    const { session } = this.#session;
    const moment = { eventId: newId(), occurredAt: session.sentAt(), userId: session.state.user };
    const event = toEvent(moment, tracked);
    if (typeof event === 'string') log('error', `“${String(name).slice(0, 80)}” was not tracked: ${event}`);
    else if (session.consent() === 'denied' || session.state.isErased)
      log('debug', `“${name}” was not tracked: consent is denied, or the install was erased`);
    else {
      this.#queue.add({ ...event, trackedAt: { now: session.now(), uptime: session.uptime() } });
      this.#conversion?.count(tracked);
      this.#batchTimer ??= setTimeout(() => {
        this.#batchTimer = null;
        void this.#recordLane.wake();
      }, BATCH_DELAY_MS);
    }
  }

  identify(userId: string): void {
    if (setUser(this.#session.session, userId)) void this.#recordLane.wake();
  }

  logout(): void {
    this.#session.session.state.user = null;
    this.#session.session.save();
  }

  async setConsent(consent: Consent): Promise<void> {
    const { state, storage, log, save } = this.#session.session;
    state.consent = consent;
    if (consent === 'denied') this.#forget('consent was denied');
    this.#opens.deliverPending();
    save();
    await this.ready();
    await storage.settled();
    log('debug', `Consent is ${consent}`);
    this.#wake();
  }

  async flush(): Promise<void> {
    await this.ready();
    this.#noteSession();
    this.#conversion?.wake();
    await Promise.all([this.#recordLane.wake(true), this.#openLane.wake(true)]);
  }

  async createLink(link: NewLink, timeoutMs = CREATE_TIMEOUT_MS) {
    const { session, problems } = this.#session;
    return await createLink(link, {
      ...{ session, problems, timeoutMs, install: this.#install, random: this.#deps.random },
      ready: () => this.ready(),
      wake: () => void this.#recordLane.wake(true),
    });
  }

  async explain(): Promise<Explanation> {
    await this.ready();
    const { session, problems } = this.#session;
    return await explain(session, { ...problems, queuedEvents: this.#queue.count });
  }

  /** Ends the run. @returns what the next one begins with. */
  erase(): Reset {
    this.close();
    return eraseStored(this.#session.session);
  }

  async clear(): Promise<void> {
    await this.ready();
    await removeEmpty(this.#session.session);
  }

  /** Resolves at once if the storage fails; another run may read it once it holds everything. */
  async shutdown(): Promise<void> {
    this.close();
    const { storage } = this.#session.session;
    if (!this.isLoaded) storage.forget();
    this.written = storage
      .written()
      .then(() => leaveStorage(this.#session.port, this.#session.prefix, this.#deps.owner));
    await Promise.race([this.written, storage.settled()]);
    this.#deps.endLog();
  }

  close(): void {
    if (this.#batchTimer !== null) clearTimeout(this.#batchTimer);
    this.#openLane.stop();
    this.#recordLane.stop();
    this.#conversion?.stop();
    this.#session.close();
    this.#install.noteChanged();
  }

  async #load(): Promise<void> {
    const { session, port, prefix, noteFault } = this.#session;
    const { owner, after } = this.#deps;
    await after;
    const stored = await load(session.storage, {
      mayRead: () => takeStorage(port, prefix, owner),
      isOpen: session.isOpen,
      onFault: noteFault,
    });
    if (stored !== null && session.isOpen()) this.#adopt(stored);
  }

  #adopt(stored: Stored): void {
    const { session } = this.#session;
    adopt(stored, { ...this.#session, queue: this.#queue, isReset: this.#deps.reset !== null });
    if (session.consent() === 'denied' || session.state.isErased) this.#forget('consent is denied');
    session.storage.release();
    this.#install.noteLoaded();
    if (this.#isBegun) this.#wake();
  }

  #wake(): void {
    this.#noteSession();
    this.#conversion?.wake();
    void this.#recordLane.wake(true);
    void this.#openLane.wake(true);
    this.deliver();
  }

  /** What waits to be sent; links are still opened. */
  #forget(reason: string): void {
    const { session } = this.#session;
    const { state } = session;
    const { count } = this.#queue;
    this.#queue.clear();
    this.#conversion?.forget();
    if (count > 0) noteDropped(session, count, reason);
    state.opens = state.opens.filter(({ isDelivered }) => !isDelivered);
    state.token = null;
    if (state.userToSend !== null) Object.assign(state, { user: undefined, userToSend: null });
    this.#install.noteChanged();
  }

  /** The day of the install is active by itself. */
  #noteSession(): void {
    if (beginsSession(this.#session.session)) this.track({ name: 'session_start' });
  }

  async #readInitialUrl({ initial, launchId }: LinkSource): Promise<void> {
    const url = await initial();
    if (url === null || this.#deps.links.read(url) === null) this.#links.releaseDeferred();
    if (url !== null && this.#session.session.isOpen()) await this.open(url, 'initial', launchId?.() ?? null);
  }
}
