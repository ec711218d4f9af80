/** What one run of the client begins with. */
import type { AppVersion } from './app-version.ts';
import { createCall } from './http.ts';
import type { LinkReader } from './links.ts';
import type { Log } from './log.ts';
import { memoryStorage, type OrderedStorage, orderWrites } from './ordered-storage.ts';
import { agreed, readDevice, type Session } from './session.ts';
import { newState, STATE_KEY, type State } from './state.ts';
import { toIso } from './timing.ts';
import type { Config, Fetch, KeyValueStorage, Ports } from './types.ts';
import type { Listener } from './waiting-links.ts';

export interface RunDeps {
  readonly config: Config;
  readonly ports: Ports;
  readonly links: LinkReader;
  readonly listeners: ReadonlySet<Listener>;
  readonly log: Log;
  /** Writes the counts that still wait. */
  readonly endLog: () => void;
  readonly now: () => number;
  readonly random: () => number;
  readonly newId: () => string;
  /** Of the storage. */
  readonly owner: object;
  /** Before the storage is read. */
  readonly after: Promise<void>;
  /** What a reset left; null in other runs. */
  readonly reset: Reset | null;
}

/** The new state holds in this process, whether or not the storage takes it. */
export interface Reset {
  readonly state: State;
  /** With the new state on its way; null if what is stored is not known yet, and is to be erased once it is read. */
  readonly storage: OrderedStorage | null;
}

export interface RunSession {
  readonly session: Session;
  readonly port: KeyValueStorage;
  readonly prefix: string;
  /** For `explain`. */
  readonly problems: {
    readonly isTest: boolean;
    /** Of the key. */
    refusal: string | null;
    storage: string | null;
  };
  noteLoaded(): void;
  /** Why the storage cannot be read. */
  noteFault(cause: unknown): void;
  close(): void;
}

export function openSession({ config, ports, log, now, newId, reset }: RunDeps): RunSession {
  const isTest = config.key.startsWith('svc_test_');
  // What a test key recorded is unknown to a live key: a phone that changes over is new to it.
  const prefix = isTest ? 'throughline.test.' : 'throughline.';
  const port = ports.storage ?? memoryStorage();
  const onFault = (cause: unknown) => log('error', `Writing failed, and is tried again: ${cause}`);
  const storage = reset?.storage ?? orderWrites(port, prefix, onFault);
  const state = reset?.state ?? newState(newId());
  const problems: RunSession['problems'] = { isTest, refusal: null, storage: null };
  const consent = () => state.consent ?? config.consent ?? 'granted';
  let isOpen = true;
  let app: AppVersion | null = null;
  let reading: Promise<unknown> | null = null;
  let isLoaded = reset !== null && reset.storage !== null;
  const session: Session = {
    ...{ state, storage, log, now, newId, consent },
    uptime: ports.uptime ?? (typeof performance === 'object' ? () => performance.now() : now),
    call: createCall({
      ...config,
      now,
      fetch: ports.fetch ?? globalFetch,
      onKey: (refusal) => Object.assign(problems, { refusal }),
    }),
    sentAt: () => toIso(now()),
    isOpen: () => isOpen,
    isLoaded: () => isLoaded,
    save() {
      if (isOpen) storage.set(STATE_KEY, () => JSON.stringify(state));
    },
    mayRecord: () =>
      isOpen &&
      isLoaded &&
      !state.isErased &&
      (consent() === 'granted' || consent() === 'deterministic-only'),
    async device() {
      const full = await readDevice(ports, log);
      app = full;
      return full;
    },
    agreed: (full) => agreed(full, consent(), ports.sdk),
    app: () => app,
    async appRead() {
      reading ??= session.device();
      if (app === null) await reading;
    },
  };
  return {
    ...{ session, port, prefix, problems },
    noteLoaded() {
      isLoaded = true;
    },
    noteFault(cause) {
      problems.storage = `the storage cannot be read: ${cause instanceof Error ? cause.message : cause}`;
      log('error', `The client works in memory, and records nothing: ${problems.storage}`);
    },
    close() {
      isOpen = false;
    },
  };
}

const globalFetch: Fetch = (url, init) => {
  if (typeof fetch !== 'function') throw new Error('pass `fetch`');
  return fetch(url, init);
};
