/** Turns the lines of the protocol into calls of the client, and back. It needs nothing of its runtime. */
import type {
  Config,
  Fetch,
  Fingerprint,
  JsonObject,
  KeyValueStorage,
  Revenue,
  StoreReferrer,
  Throughline,
} from '../../../core/src/index.ts';
import type { Consent, Ports } from '../../../core/src/types.ts';

export interface Host {
  readonly createThroughline: (config: Config, ports: Ports) => Throughline;
  readonly storage: KeyValueStorage;
  /** Default: the global one. */
  readonly fetch?: Fetch;
  /** Writes one line. */
  readonly say: (line: object) => void;
}

type Command = { readonly id: number } & (
  | Start
  | { readonly do: 'listen' | 'firstOpen' | 'flush' | 'background' | 'foreground' | 'reset' | 'explain' }
  | { readonly do: 'url' | 'handleUrl'; readonly url: string }
  | { readonly do: 'claim'; readonly text: string }
  | {
      readonly do: 'track';
      readonly name: string;
      readonly properties?: JsonObject;
      readonly revenue?: Revenue;
    }
  | { readonly do: 'identify'; readonly userId: string }
  | { readonly do: 'setConsent'; readonly consent: Consent }
);

interface Start {
  readonly do: 'start';
  readonly config: Config;
  readonly device: Fingerprint;
  readonly referrer: StoreReferrer | { readonly hangs: true } | null;
  readonly clipboard: string | null;
  readonly initialUrl: string | null;
  readonly launchId: string;
}

/** @returns a function that takes one line. */
export function createDriver(host: Host): (line: string) => Promise<void> {
  let client: Throughline | undefined;
  const onUrl = new Set<(url: string) => void>();

  function start(command: Start): Promise<void> {
    client = host.createThroughline(command.config, {
      storage: host.storage,
      ...(host.fetch && { fetch: host.fetch }),
      device: async () => command.device,
      referrer: () => referrerOf(command),
      clipboard: async () => command.clipboard,
      links: {
        initial: async () => command.initialUrl,
        launchId: () => command.launchId,
        subscribe(listener) {
          onUrl.add(listener);
          return () => onUrl.delete(listener);
        },
      },
    });
    return client.start();
  }

  return async (line) => {
    const command = JSON.parse(line) as Command;
    try {
      if (command.do === 'start') await start(command);
      const value = client && (await act(client, command, { onUrl, say: host.say }));
      host.say({ said: 'answer', id: command.id, value: value ?? null });
    } catch (error) {
      host.say({ said: 'answer', id: command.id, error: String(error) });
    }
  };
}

function referrerOf({ referrer }: Start): Promise<StoreReferrer | null> {
  if (referrer !== null && 'hangs' in referrer) return new Promise(() => undefined);
  return Promise.resolve(referrer);
}

function act(
  client: Throughline,
  command: Command,
  { onUrl, say }: Pick<Host, 'say'> & { readonly onUrl: ReadonlySet<(url: string) => void> },
): unknown {
  switch (command.do) {
    case 'start':
      return null;
    case 'listen':
      client.onDeepLink((link) => say({ said: 'link', link }));
      return null;
    case 'url':
      for (const listener of onUrl) listener(command.url);
      return null;
    case 'background':
    case 'foreground':
      // The system does not wait for the app.
      void client.flush();
      return null;
    case 'track':
      return client.track(command.name, command.properties, command.revenue);
    case 'identify':
      return client.identify(command.userId);
    case 'handleUrl':
      return client.handleUrl(command.url);
    case 'claim':
      return client.claim(command.text);
    case 'setConsent':
      return client.setConsent(command.consent);
    default:
      return client[command.do]();
  }
}
