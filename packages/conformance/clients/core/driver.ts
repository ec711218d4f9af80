/** Turns the lines of the protocol into calls of the client, and back. It needs nothing of its runtime. */

import type {
  Config,
  ConversionValue,
  Fetch,
  Fingerprint,
  JsonObject,
  KeyValueStorage,
  LinkError,
  LogEntry,
  MetaReferrer,
  NewLink,
  Revenue,
  StandardEvent,
  StoreReferrer,
  Throughline,
} from '../../../core/src/index.ts';
import type { Consent, Ports } from '../../../core/src/types.ts';
import { type FaultyStorage, faultyStorage, type StorageFault } from './faulty-storage.ts';

export interface Host {
  readonly createThroughline: (config: Config, ports: Ports) => Throughline;
  readonly StandardEvent: typeof StandardEvent;
  readonly storage: KeyValueStorage;
  /** Default: the global one. */
  readonly fetch?: Fetch;
  /** Writes one line. */
  readonly say: (line: object) => void;
}

type Command = { readonly id: number } & (
  | Start
  | {
      readonly do:
        | 'listen'
        | 'firstOpen'
        | 'flush'
        | 'background'
        | 'foreground'
        | 'reset'
        | 'explain'
        | 'logout'
        | 'shutdown'
        | 'second';
    }
  | { readonly do: 'url'; readonly url: string }
  | { readonly do: 'handleUrl'; readonly url: string; readonly launchId?: string }
  | { readonly do: 'clock'; readonly aheadMs: number }
  | { readonly do: 'storage'; readonly fault: StorageFault | null }
  | { readonly do: 'claim'; readonly text: string }
  | { readonly do: 'createLink'; readonly link: NewLink; readonly timeoutMs?: number }
  | {
      readonly do: 'track';
      readonly name: string;
      readonly properties?: JsonObject;
      readonly revenue?: Revenue;
    }
  | { readonly do: 'track'; readonly standard: string; readonly fields?: JsonObject }
  | { readonly do: 'identify'; readonly userId: string }
  | { readonly do: 'setConsent'; readonly consent: Consent }
);

interface PlayReferrer {
  readonly installReferrer: string;
  readonly clickedAtSeconds?: number;
  readonly serverClickedAtSeconds?: number;
  readonly installBeganAtSeconds?: number;
  readonly serverInstallBeganAtSeconds?: number;
}

interface Start {
  readonly do: 'start';
  readonly config: Config;
  readonly device: Fingerprint;
  readonly referrer: PlayReferrer | { readonly hangs: true } | null;
  readonly metaReferrer: MetaReferrer | null;
  readonly appleAdsToken: string | null;
  readonly conversion: boolean | 'fails once';
  readonly clipboard: string | null;
  readonly initialUrl: string | null;
  readonly launchId: string;
  readonly existingUser: boolean;
  readonly clockAheadMs: number;
  readonly storage: StorageFault | null;
}

/** @returns a function that takes one line. */
export function createDriver(host: Host): (line: string) => Promise<void> {
  const app = new App(host);
  return async (line) => {
    const command = JSON.parse(line) as Command;
    try {
      const value = await app.act(command);
      host.say({ said: 'answer', id: command.id, value: value ?? null });
    } catch (error) {
      host.say({ said: 'answer', id: command.id, error: String(error) });
    }
  };
}

class App {
  readonly #host: Host;
  readonly #storage: FaultyStorage;
  readonly #onUrl = new Set<(url: string) => void>();
  #client: Throughline | null = null;
  #command: Start | null = null;
  #aheadMs = 0;
  #isRefusing = false;

  constructor(host: Host) {
    this.#host = host;
    this.#storage = faultyStorage(host.storage);
  }

  act(command: Command): unknown {
    if (command.do === 'start') return this.#start(command);
    if (this.#client === null) throw new Error('the first line is start');
    return this.#do(this.#client, command);
  }

  #start(command: Start): Promise<void> {
    this.#command = command;
    this.#aheadMs = command.clockAheadMs;
    this.#storage.fault = command.storage;
    this.#isRefusing = command.conversion === 'fails once';
    this.#client = this.#create(command);
    return this.#client.start();
  }

  #create(command: Start): Throughline {
    const { createThroughline, fetch, say } = this.#host;
    const onLog = ({ level, message }: LogEntry) => say({ said: 'log', level, message });
    return createThroughline(
      { ...command.config, onLog },
      {
        storage: this.#storage.port,
        ...(fetch && { fetch }),
        now: () => Date.now() + this.#aheadMs,
        device: async () => command.device,
        referrer: () => referrerOf(command),
        metaReferrer: async () => command.metaReferrer,
        appleAdsToken: async () => command.appleAdsToken,
        ...(command.conversion !== false && { conversion: (value) => this.#setConversion(value) }),
        clipboard: async () => command.clipboard,
        isExistingUser: () => command.existingUser,
        links: {
          initial: async () => command.initialUrl,
          launchId: () => command.launchId,
          subscribe: (listener) => {
            this.#onUrl.add(listener);
            return () => this.#onUrl.delete(listener);
          },
        },
      },
    );
  }

  async #setConversion(value: ConversionValue): Promise<void> {
    const isRefused = this.#isRefusing;
    this.#isRefusing = false;
    if (isRefused) throw new Error('refused');
    this.#host.say({ said: 'conversion', value });
  }

  #do(client: Throughline, command: Exclude<Command, Start>): unknown {
    switch (command.do) {
      case 'listen':
        client.onDeepLink((link) =>
          this.#host.say({ said: link.correctionOf === undefined ? 'link' : 'correction', link }),
        );
        return null;
      case 'url':
        for (const listener of this.#onUrl) listener(command.url);
        return null;
      case 'background':
      case 'foreground':
        // The system does not wait for the app.
        void client.flush();
        return null;
      case 'clock':
        this.#aheadMs = command.aheadMs;
        return null;
      case 'storage':
        this.#storage.fault = command.fault;
        return null;
      case 'second':
        if (this.#command !== null) this.#client = this.#create(this.#command);
        return this.#client?.start();
      case 'track':
        if ('standard' in command)
          return client.track(standardEvent(this.#host, command.standard, command.fields));
        return client.track(command.name, command.properties, command.revenue);
      case 'identify':
        return client.identify(command.userId);
      case 'handleUrl':
        return client.handleUrl(command.url, { launchId: command.launchId });
      case 'claim':
        return client.claim(command.text);
      case 'createLink':
        return client.createLink(command.link, { timeoutMs: command.timeoutMs }).catch(errorOf);
      case 'setConsent':
        return client.setConsent(command.consent);
      default:
        return client[command.do]();
    }
  }
}

function referrerOf({ referrer }: Start): Promise<StoreReferrer | null> {
  if (referrer !== null && 'hangs' in referrer) return new Promise(() => undefined);
  if (referrer === null) return Promise.resolve(null);
  const iso = (seconds: number | undefined) =>
    seconds === undefined ? undefined : new Date(seconds * 1_000).toISOString();
  return Promise.resolve({
    installReferrer: referrer.installReferrer,
    clickedAt: iso(referrer.clickedAtSeconds),
    serverClickedAt: iso(referrer.serverClickedAtSeconds),
    installBeganAt: iso(referrer.installBeganAtSeconds),
    serverInstallBeganAt: iso(referrer.serverInstallBeganAtSeconds),
  });
}

/** @param name as it is sent. */
function standardEvent(host: Host, name: string, fields: JsonObject = {}): StandardEvent {
  const helper = name.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  return host.StandardEvent[helper as 'share'](fields);
}

function errorOf(error: Error & Partial<LinkError>): object {
  const { code = null, message, retryAt = null } = error;
  return { error: { code, message, retryAt: retryAt?.toISOString() ?? null } };
}
