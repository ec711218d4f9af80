import type { PluginListenerHandle } from '@capacitor/core';
import {
  type Consent,
  type DeepLink,
  LinkError,
  type Ports,
  type Revenue,
  type StandardEvent,
  type Throughline,
} from '@throughline/core';
import type { CapacitorConfig } from '../client.ts';
import { checkConsent } from '../links-only.ts';
import { toEventText } from './event.ts';
import { type Log, logOf, writerOf } from './log.ts';
import { toLinkText } from './new-link.ts';
import { type CreateOptions, plugin } from './plugin.ts';

type Listener = (link: DeepLink) => void | Promise<void>;

/** A port of the app that hangs must not keep it from its links. */
const ASK_TIMEOUT_MS = 2_000;

/** The native client, with core’s interface. @param rules a client of core that is never started. */
export function createNative(config: CapacitorConfig, ports: Ports, rules: Throughline): Throughline {
  const log = logOf(config);
  const created = create(config, ports, log);
  const links = new NativeLinks(log);
  /** In the order of the calls. */
  const call = <T>(run: () => Promise<T>): Promise<T> => created.then(run);
  const inOrder = (what: string, run: () => Promise<unknown>) => {
    call(run).catch((cause: Error) => log('error', `${what} failed: ${cause.message}`));
  };
  return {
    start: () => call(() => plugin.start()),
    onDeepLink: (listener) => links.add(listener),
    firstOpen: () => call(() => plugin.firstOpen()),
    async handleUrl(url, { launchId, timeoutMs } = {}) {
      // Systems say null where no URL started the app.
      if (url === null || url === undefined) return null;
      checkText('handleUrl', url);
      const options = { url, ...(launchId && { launchId }), ...(timeoutMs && { timeoutMs }) };
      return (await call(() => plugin.handleUrl(options))).link;
    },
    isLink: rules.isLink,
    async claim(text) {
      checkText('claim', text);
      return (await call(() => plugin.claim({ text }))).link;
    },
    track(event: string | StandardEvent, ...[properties, revenue]: [object?, Revenue?]) {
      const isMade = typeof event === 'object' && event !== null;
      const tracked = isMade ? event : { name: event, properties, revenue };
      // As core says it.
      if (isMade && event.remark) log('warn', event.remark);
      if (isMade && (properties || revenue))
        log('warn', `“${String(event.name)}”: its fields go to the function of StandardEvent, not to track`);
      const text = toEventText(tracked as StandardEvent);
      if (typeof text === 'object') log('error', `“${tracked.name}” was not tracked: ${text.fault}`);
      else inOrder('track', () => plugin.track({ event: text }));
    },
    identify: (userId) => inOrder('identify', () => plugin.identify({ userId })),
    logout: () => inOrder('logout', () => plugin.logout()),
    async setConsent(consent: Consent) {
      checkConsent({ ...config, consent });
      await call(() => plugin.setConsent({ consent }));
    },
    async createLink(link, { timeoutMs } = {}) {
      const options = { link: toLinkText(link), ...(timeoutMs && { timeoutMs }) };
      return await call(() => plugin.createLink(options)).catch((cause) => {
        throw toLinkError(cause);
      });
    },
    flush: () => call(() => plugin.flush()),
    reset: () => call(() => plugin.reset()),
    shutdown: () => call(() => plugin.shutdown()),
    explain: () => call(() => plugin.explain()),
  };
}

/** Before every other call. */
async function create({ onLog, ...config }: CapacitorConfig, ports: Ports, log: Log): Promise<void> {
  const write = writerOf({ ...config, onLog });
  await plugin.addListener('log', ({ level, message }) => write(level, message));
  const options: CreateOptions = { ...config };
  const existingUser = await askExistingUser(ports, log);
  await plugin.create(existingUser === undefined ? options : { ...options, existingUser });
}

async function askExistingUser({ isExistingUser }: Ports, log: Log): Promise<boolean | undefined> {
  if (isExistingUser === undefined) return undefined;
  const late = new Promise<undefined>((resolve) => setTimeout(resolve, ASK_TIMEOUT_MS, undefined));
  try {
    return await Promise.race([isExistingUser(), late]);
  } catch (cause) {
    log('warn', `isExistingUser failed: ${cause}`);
    return undefined;
  }
}

/** Listens to the native half while the app does, so that links wait there in between. */
class NativeLinks {
  readonly #log: Log;
  readonly #listeners = new Set<Listener>();
  #handle: Promise<PluginListenerHandle> | null = null;
  /** Those that were on their way when the last listener went. */
  #waiting: DeepLink[] = [];

  constructor(log: Log) {
    this.#log = log;
  }

  add(listener: Listener): () => void {
    this.#listeners.add(listener);
    this.#handle ??= plugin.addListener('deepLink', (link) => this.#deliver(link));
    for (const link of this.#waiting.splice(0)) this.#deliver(link);
    return () => {
      if (!this.#listeners.delete(listener) || this.#listeners.size > 0) return;
      const handle = this.#handle;
      this.#handle = null;
      void handle?.then((each) => each.remove());
    };
  }

  #deliver(link: DeepLink): void {
    if (this.#listeners.size === 0) this.#waiting.push(link);
    for (const listener of this.#listeners)
      void Promise.resolve()
        .then(() => listener(link))
        .catch((cause) => this.#log('error', `A listener of onDeepLink failed: ${cause}`));
  }
}

/** What the bridge makes of a rejected call. */
interface Rejection extends Error {
  readonly code?: string;
  readonly data?: { readonly retryAtMs?: number | null };
}

function toLinkError(cause: Rejection): Error {
  const { code, message, data } = cause;
  if (!code) return cause;
  const retryAtMs = data?.retryAtMs;
  return new LinkError(code, message, typeof retryAtMs === 'number' ? new Date(retryAtMs) : null);
}

/** @throws TypeError */
function checkText(method: string, text: unknown): void {
  if (typeof text !== 'string')
    throw new TypeError(`Throughline: ${method} takes a text, not ${text === null ? 'null' : typeof text}.`);
}
