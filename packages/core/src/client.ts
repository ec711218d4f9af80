import type { QueuedEvent } from './event-queue.ts';
import { hostOf, linkReader } from './links.ts';
import { type Listener, type Run, type RunDeps, startRun } from './run.ts';
import type { Log } from './session.ts';
import type { Config, JsonObject, Ports, Revenue, Throughline } from './types.ts';

const MAX_EVENT_CHARACTERS = 40_000;
const MAX_NAME_CHARACTERS = 255;

/**
 * Creates the client of an app. Create one for the whole app, and call `start` when it starts.
 * @throws TypeError for a `baseUrl` that is no HTTP URL, or without a key.
 */
export function createThroughline(config: Config, ports: Ports = {}): Throughline {
  const host = hostOf(config.baseUrl);
  if (!config.key) throw new TypeError('Throughline: key is missing.');
  const log = createLog(config);
  if (!config.key.includes('_pub_')) log('error', 'The key is secret. Use a publishable key in apps.');
  const random = ports.random ?? globalRandom;
  return createClient({
    ...{ config, ports, log, random },
    links: linkReader(config.hosts ?? [host]),
    listeners: new Set<Listener>(),
    now: ports.now ?? Date.now,
    newId: () => uuid(random),
  });
}

function createClient(deps: Omit<RunDeps, 'listeners'> & { listeners: Set<Listener> }): Throughline {
  const { ports, links, listeners, log, now, newId } = deps;
  let starting: Promise<Run> | null = null;
  let run: Run | null = null;
  let unsubscribe = () => {};
  let early: ((run: Run) => void)[] = [];

  function start(): Promise<Run> {
    if (starting !== null) return starting;
    // Before anything else, or a URL that arrives now has no listener.
    const onUrl = (url: string) => whenRunning((running) => void running.open(url, 'event'));
    unsubscribe = ports.links?.subscribe(onUrl) ?? unsubscribe;
    starting = startRun(deps).then((started) => {
      run = started;
      for (const action of early) action(started);
      early = [];
      started.begin();
      return started;
    });
    return starting;
  }

  function whenRunning(action: (run: Run) => void): void {
    if (run !== null) action(run);
    else {
      early.push(action);
      void start();
    }
  }

  return {
    async start() {
      await start();
    },
    onDeepLink(listener) {
      listeners.add(listener);
      void Promise.resolve().then(() => run?.deliver());
      return () => listeners.delete(listener);
    },
    firstOpen: async () => await (await start()).firstOpen(),
    handleUrl: async (url) => await (await start()).open(url, 'caller'),
    isLink: (url) => links.read(url) !== null,
    async claim(pasted) {
      const url = links.findToken(pasted);
      if (url === null) log('debug', 'The pasted text has no token');
      return url === null ? null : await (await start()).claim(url);
    },
    track(name, properties, revenue) {
      const event = toEvent({ eventId: newId(), occurredAt: new Date(now()).toISOString() }, name, {
        properties,
        revenue,
      });
      if (typeof event === 'string') log('error', `“${name}” was not tracked: ${event}`);
      else whenRunning((running) => running.track(event));
    },
    identify(userId) {
      if (typeof userId !== 'string' || userId === '' || userId.length > MAX_NAME_CHARACTERS)
        log('error', `identify was ignored: a user ID has 1 to ${MAX_NAME_CHARACTERS} characters`);
      else whenRunning((running) => running.identify(userId));
    },
    setConsent: async (consent) => await (await start()).setConsent(consent),
    flush: async () => await (await start()).flush(),
    async reset() {
      const running = await start();
      unsubscribe();
      starting = null;
      run = null;
      await running.erase();
    },
    explain: async () => await (await start()).explain(),
  };
}

/** @returns the reason why there is none. */
function toEvent(
  base: Pick<QueuedEvent, 'eventId' | 'occurredAt'>,
  name: string,
  { properties, revenue }: { properties: JsonObject | undefined; revenue: Revenue | undefined },
): QueuedEvent | string {
  if (typeof name !== 'string' || name === '' || name.length > MAX_NAME_CHARACTERS)
    return `a name has 1 to ${MAX_NAME_CHARACTERS} characters`;
  const { transactionId, ...money } = revenue ?? {};
  const event = {
    ...base,
    eventName: name,
    ...(properties && { properties }),
    ...(revenue && { revenue: money as QueuedEvent['revenue'] }),
    ...(transactionId !== undefined && { transactionId }),
  };
  try {
    const text = JSON.stringify(event);
    if (text.length > MAX_EVENT_CHARACTERS) return `it has more than ${MAX_EVENT_CHARACTERS} characters`;
    // A copy: the app may change the object before it is sent.
    return JSON.parse(text) as QueuedEvent;
  } catch (cause) {
    return `it is not JSON: ${cause}`;
  }
}

function createLog({ debug = false, onLog }: Config): Log {
  const write =
    onLog ?? (({ level, message }) => console[level === 'debug' ? 'log' : level](`Throughline: ${message}`));
  return (level, message) => {
    if (level !== 'debug' || debug) write({ level, message });
  };
}

function globalRandom(): number {
  if (typeof crypto !== 'object') return Math.random();
  return (crypto.getRandomValues(new Uint32Array(1))[0] ?? 0) / 2 ** 32;
}

function uuid(random: () => number): string {
  return 'xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx'.replace(/[xy]/g, (kind) => {
    const digit = Math.floor(random() * 16);
    return (kind === 'x' ? digit : (digit & 3) | 8).toString(16);
  });
}
