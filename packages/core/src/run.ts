/** One run of the client: what it stored, loaded, and the two lanes that send. */
import { isObject, NOT_ANSWERED, text } from './answers.ts';
import { type EventQueue, openEventQueue, type QueuedEvent } from './event-queue.ts';
import { createCall } from './http.ts';
import { Install } from './install.ts';
import { createLane, type Lane } from './lane.ts';
import type { LinkReader } from './links.ts';
import { CLAIM_TIMEOUT_MS, Opens, type Source } from './opens.ts';
import { memoryStorage, type OrderedStorage, orderWrites } from './ordered-storage.ts';
import { noteDropped, sendRecord } from './send-record.ts';
import { type Log, readDevice, type Session } from './session.ts';
import { newState, readState, STATE_KEY, type State } from './state.ts';
import { createSignal, orAfter } from './timing.ts';
import type {
  Attribution,
  Config,
  Consent,
  DeepLink,
  Explanation,
  Fetch,
  KeyValueStorage,
  LinkSource,
  Ports,
} from './types.ts';

export type Listener = (link: DeepLink) => void | Promise<void>;

export interface RunDeps {
  readonly config: Config;
  readonly ports: Ports;
  readonly links: LinkReader;
  readonly listeners: ReadonlySet<Listener>;
  readonly log: Log;
  readonly now: () => number;
  readonly random: () => number;
  readonly newId: () => string;
}

const FIRST_OPEN_TIMEOUT_MS = 1_500;
/** Events of one moment go together. */
const BATCH_DELAY_MS = 1_000;
const SESSION_MS = 1_800_000;
/** Within this time the same first URL is a reload of the JavaScript, unless launch IDs tell. */
const RELOAD_MS = 10_000;
const MAX_WAITING_LINKS = 20;

export async function startRun(deps: RunDeps): Promise<Run> {
  const { config, ports, log } = deps;
  if (ports.storage === undefined) log('warn', 'Without `storage` every start is an install');
  // What a test key recorded is unknown to a live key: a phone that changes over is new to it.
  const prefix = isTestKey(config.key) ? 'throughline.test.' : 'throughline.';
  const order = (storage: KeyValueStorage) =>
    orderWrites(storage, prefix, (cause) => log('error', `Writing failed: ${cause}`));
  try {
    return await openRun(deps, order(ports.storage ?? memoryStorage()), true);
  } catch (cause) {
    log('error', `Reading failed; nothing is recorded until the next start: ${cause}`);
    return await openRun(deps, order(memoryStorage()), false);
  }
}

/** @param isReadable false if the stored state cannot be read, so that an install could be recorded twice. */
async function openRun(deps: RunDeps, storage: OrderedStorage, isReadable: boolean): Promise<Run> {
  const { config, ports, log, now, newId } = deps;
  const state = await loadState(storage, newId, log);
  let isOpen = true;
  const consent = () => state.consent ?? config.consent ?? 'granted';
  const session: Session = {
    ...{ state, storage, log, now, newId, consent },
    call: createCall({ ...config, now, fetch: ports.fetch ?? globalFetch }),
    isOpen: () => isOpen,
    save() {
      if (isOpen) storage.set(STATE_KEY, JSON.stringify(state));
    },
    mayRecord: () => isReadable && (consent() === 'granted' || consent() === 'deterministic-only'),
    device: async () => await readDevice(ports, { consent: consent(), log }),
  };
  const queue = await openQueue(session);
  session.save();
  const close = () => {
    isOpen = false;
  };
  return new Run(deps, { session, queue, close });
}

function isTestKey(key: string): boolean {
  return key.startsWith('svc_test_');
}

async function openQueue(session: Session): Promise<EventQueue> {
  const { state, storage, now, save } = session;
  const deps = {
    ...{ storage, now },
    moveFirstChunk(chunk: number) {
      state.firstChunk = chunk;
      save();
    },
    onDropped: (count: number, reason: string) => noteDropped(session, count, reason),
  };
  return await openEventQueue(deps, state.firstChunk);
}

async function loadState(storage: OrderedStorage, newId: () => string, log: Log): Promise<State> {
  const stored = await storage.get(STATE_KEY).catch(() => storage.get(STATE_KEY));
  const state = stored === null ? null : readState(stored);
  if (stored !== null && state === null) log('error', 'The stored state is damaged; this is a new install');
  return state ?? newState(newId());
}

const globalFetch: Fetch = (url, init) => {
  if (typeof fetch !== 'function') throw new Error('pass `fetch`');
  return fetch(url, init);
};

/** The methods of `Throughline` on a loaded state. */
export class Run {
  readonly #deps: RunDeps;
  readonly #session: Session;
  readonly #queue: EventQueue;
  readonly #close: () => void;
  readonly #install: Install;
  readonly #opens: Opens;
  readonly #openLane: Lane;
  readonly #recordLane: Lane;
  #batchTimer: ReturnType<typeof setTimeout> | null = null;

  constructor(
    deps: RunDeps,
    { session, queue, close }: { session: Session; queue: EventQueue; close: () => void },
  ) {
    this.#deps = deps;
    this.#session = session;
    this.#queue = queue;
    this.#close = close;
    const { ports, links, random } = deps;
    const onLink = (link: DeepLink) => this.#give(link);
    this.#install = new Install(session, { ports, links, onLink });
    this.#opens = new Opens(session, {
      ...{ links, onLink, install: this.#install },
      onTaken: (url) => {
        session.state.links = session.state.links.filter((link) => link.url !== url);
        session.save();
      },
      wake: () => void this.#openLane.wake(),
    });
    this.#openLane = createLane(() => this.#opens.send(), random);
    const record = { session, queue, install: this.#install };
    this.#recordLane = createLane(() => sendRecord(record), random);
  }

  /** Sends the queue of earlier runs, and reads the URL that started the app. */
  begin(): void {
    const { ports, log } = this.#deps;
    this.#noteSession();
    if (this.#session.consent() === 'pending') log('debug', 'Nothing is sent before setConsent');
    if (ports.links !== undefined)
      this.#readInitialUrl(ports.links).catch((cause) =>
        log('warn', `Reading the first URL failed: ${cause}`),
      );
    void this.#recordLane.wake();
    void this.#openLane.wake();
    this.deliver();
  }

  /** Calls the listeners. The link leaves the storage in the same turn. */
  deliver(): void {
    const { listeners, log } = this.#deps;
    const { state } = this.#session;
    while (listeners.size > 0) {
      const link = state.links.shift();
      if (link === undefined) return;
      log('debug', `Delivering ${link.path}`);
      for (const listener of listeners) void callListener(listener, link, log);
      this.#session.save();
    }
  }

  async firstOpen(): Promise<Attribution> {
    const { state } = this.#session;
    if (state.firstOpen !== null) return state.firstOpen;
    if (!this.#session.mayRecord() && this.#session.consent() !== 'pending') return NOT_ANSWERED;
    const timeoutMs = this.#deps.config.firstOpenTimeoutMs ?? FIRST_OPEN_TIMEOUT_MS;
    return await orAfter(timeoutMs, this.#install.answered, () => NOT_ANSWERED);
  }

  async open(url: string, source: Source): Promise<DeepLink | null> {
    const { links, ports } = this.#deps;
    if (source === 'event' && links.read(url) !== null) this.#noteUrl(url, ports.links?.launchId?.() ?? null);
    return await this.#opens.add(url, source);
  }

  async claim(url: string): Promise<DeepLink | null> {
    const { state } = this.#session;
    if (this.#session.consent() === 'denied' || state.firstOpen !== null || state.isInstallSent)
      return await this.#opens.claim(url);
    const link = createSignal<DeepLink | null>();
    state.token = url;
    this.#session.save();
    this.#install.takeLink(link.resolve);
    void this.#recordLane.wake();
    return await orAfter(CLAIM_TIMEOUT_MS, link.promise, () => {
      this.#install.takeLink(null);
      return null;
    });
  }

  track(event: QueuedEvent): void {
    if (this.#session.consent() !== 'denied') this.#enqueue(event);
    else this.#deps.log('debug', `“${event.eventName}” was not tracked: consent is denied`);
  }

  identify(userId: string): void {
    const { state } = this.#session;
    if (this.#session.consent() === 'denied' || state.userId === userId) return;
    state.userId = userId;
    state.isUserSent = false;
    this.#session.save();
    void this.#recordLane.wake();
  }

  async setConsent(consent: Consent): Promise<void> {
    const { state, storage, log } = this.#session;
    state.consent = consent;
    if (consent === 'denied') {
      this.#queue.clear();
      state.opens = state.opens.filter(({ isDelivered }) => !isDelivered);
      state.token = null;
      if (!state.isUserSent) Object.assign(state, { userId: null, isUserSent: true });
    }
    this.#session.save();
    await storage.settled();
    log('debug', `Consent is ${consent}`);
    void this.#recordLane.wake(true);
    void this.#openLane.wake(true);
  }

  async flush(): Promise<void> {
    this.#noteSession();
    await Promise.all([this.#recordLane.wake(true), this.#openLane.wake(true)]);
  }

  async erase(): Promise<void> {
    if (this.#batchTimer !== null) clearTimeout(this.#batchTimer);
    this.#openLane.stop();
    this.#recordLane.stop();
    this.#queue.clear();
    this.#close();
    this.#session.storage.set(STATE_KEY, null);
    await this.#session.storage.settled();
  }

  async explain(): Promise<Explanation> {
    const { installId, firstOpen, droppedEvents } = this.#session.state;
    return {
      ...{ installId, firstOpen, consent: this.#session.consent() },
      ...(await explainInstall(this.#session, isTestKey(this.#deps.config.key))),
      ...{ queuedEvents: this.#queue.count, droppedEvents },
    };
  }

  /** The caller saves the state. */
  #give(link: DeepLink): void {
    const { links } = this.#session.state;
    links.push(link);
    if (links.length > MAX_WAITING_LINKS) links.shift();
    this.deliver();
  }

  #enqueue(event: QueuedEvent): void {
    const { userId } = this.#session.state;
    this.#queue.add({ ...event, ...(userId !== null && { userId }) });
    this.#batchTimer ??= setTimeout(() => {
      this.#batchTimer = null;
      void this.#recordLane.wake();
    }, BATCH_DELAY_MS);
  }

  /** The day of the install is active by itself. */
  #noteSession(): void {
    const { state, now, newId } = this.#session;
    if (state.firstOpen === null || !this.#session.mayRecord() || now() - state.sessionAt < SESSION_MS)
      return;
    state.sessionAt = now();
    this.#session.save();
    const occurredAt = new Date(now()).toISOString();
    this.#enqueue({ eventId: newId(), eventName: 'session_start', occurredAt });
  }

  async #readInitialUrl({ initial, launchId }: LinkSource): Promise<void> {
    const url = await initial();
    if (url === null || !this.#session.isOpen()) return;
    const launch = launchId?.() ?? null;
    if (this.#isReload(url, launch)) return;
    this.#noteUrl(url, launch);
    await this.#opens.add(url, 'initial');
  }

  #isReload(url: string, launchId: string | null): boolean {
    const { launch } = this.#session.state;
    if (launch === null || !launch.urls.includes(url)) return false;
    if (launchId !== null || launch.id !== null) return launch.id === launchId;
    return Math.abs(this.#deps.now() - launch.at) < RELOAD_MS;
  }

  /** Stored with the open, in one write. */
  #noteUrl(url: string, launchId: string | null): void {
    const { state } = this.#session;
    const isSame = state.launch !== null && launchId !== null && state.launch.id === launchId;
    const urls = isSame ? (state.launch?.urls ?? []).slice(-9) : [];
    state.launch = { id: launchId, urls: [...urls, url], at: this.#deps.now() };
  }
}

async function callListener(listener: Listener, link: DeepLink, log: Log): Promise<void> {
  try {
    await listener(link);
  } catch (cause) {
    log('error', `A listener of onDeepLink failed: ${cause}`);
  }
}

async function explainInstall(
  { state, consent, call }: Session,
  isTest: boolean,
): Promise<Pick<Explanation, 'reason' | 'trace'>> {
  const because = (reason: string) => ({ reason, trace: null });
  if (state.firstOpen === null) {
    if (consent() === 'pending') return because('The install waits for setConsent.');
    if (consent() === 'denied') return because('Consent is denied.');
    return because('The service has not answered yet.');
  }
  if (!isTest) return because('Only installs of test keys are explained.');
  const answer = await call('GET', `/v1/sdk/installs/${state.installId}/explanation`);
  if (answer.outcome !== 'ok') return because(answer.reason);
  const { reason, explanation } = answer.body;
  return { reason: text(reason) ?? '', trace: isObject(explanation) ? explanation : null };
}
