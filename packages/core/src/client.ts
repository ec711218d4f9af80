import type { Tracked } from './event.ts';
import { describe } from './json-text.ts';
import { hostOf, linkReader } from './links.ts';
import { createLog } from './log.ts';
import type { Reset, RunDeps } from './open-session.ts';
import { Run } from './run.ts';
import type { StandardEvent } from './standard-event.ts';
import type { Config, Consent, Ports, Revenue, Throughline } from './types.ts';
import { uuidSource } from './uuid.ts';
import type { Listener } from './waiting-links.ts';

const CONSENTS: readonly Consent[] = ['granted', 'deterministic-only', 'denied', 'pending'];

/**
 * Creates the client of an app. Create one for the whole app, and call `start` when it starts.
 * @throws TypeError for a `baseUrl` that is no HTTP URL, without a key, and for an unknown `consent`.
 */
export function createThroughline(config: Config, ports: Ports = {}): Throughline {
  const host = hostOf(config.baseUrl);
  if (!config.key) throw new TypeError('Throughline: key is missing.');
  if (config.consent !== undefined) checkConsent(config.consent);
  const { log, end: endLog } = createLog(config);
  if (!config.key.includes('_pub_')) log('error', 'The key is secret. Use a publishable key in apps.');
  if (ports.storage === undefined) log('warn', 'Without `storage` every start is an install');
  const random = ports.random ?? Math.random;
  return createClient({
    ...{ config, ports, log, endLog, random },
    links: linkReader(config.hosts ?? [host]),
    listeners: new Set<Listener>(),
    now: ports.now ?? Date.now,
    newId: uuidSource(ports.random),
    owner: {},
  });
}

interface Deps extends Omit<RunDeps, 'listeners' | 'after' | 'reset'> {
  readonly listeners: Set<Listener>;
}

function createClient(deps: Deps): Throughline {
  const { ports, links, listeners } = deps;
  let run: Run | null = null;
  let isBegun = false;
  let isInitialUrlNew = true;
  let after = Promise.resolve();
  let unsubscribe = () => {};

  const create = (reset: Reset | null) => new Run({ ...deps, reset, after });

  function running(): Run {
    run ??= create(null);
    const current = run;
    if (isBegun) return current;
    isBegun = true;
    const onUrl = (url: string) => void current.open(url, 'event', ports.links?.launchId?.() ?? null);
    unsubscribe = ports.links?.subscribe(onUrl) ?? unsubscribe;
    current.begin(isInitialUrlNew);
    isInitialUrlNew = false;
    return current;
  }

  function end(): Run | null {
    const ended = run;
    unsubscribe();
    run = null;
    isBegun = false;
    return ended;
  }

  return {
    start: async () => await running().ready(),
    onDeepLink(listener) {
      listeners.add(listener);
      void Promise.resolve().then(() => run?.deliver());
      return () => listeners.delete(listener);
    },
    firstOpen: async () => await running().firstOpen(),
    async handleUrl(url, { launchId, timeoutMs } = {}) {
      // Systems say null where no URL started the app.
      if (url === null || url === undefined) return null;
      checkText('handleUrl', url);
      return await running().open(url, 'caller', launchId ?? null, timeoutMs);
    },
    isLink: (url) => links.read(url) !== null,
    async claim(pasted) {
      const url = tokenIn(pasted, deps);
      return url === null ? null : await running().claim(url);
    },
    track: (event: string | StandardEvent, ...rest: [object?, Revenue?]) =>
      running().track(toTracked(event, rest, deps)),
    identify: (userId) => running().identify(userId),
    logout: () => running().logout(),
    async setConsent(consent) {
      checkConsent(consent);
      await running().setConsent(consent);
    },
    createLink: async (link, { timeoutMs } = {}) => await running().createLink(link, timeoutMs),
    flush: async () => await running().flush(),
    async reset() {
      isInitialUrlNew &&= run === null;
      const ended = end() ?? create(null);
      run = create(ended.erase());
      await run.clear();
    },
    async shutdown() {
      const ended = end();
      const done = ended?.shutdown();
      after = ended?.written ?? after;
      await done;
    },
    explain: async () => await running().explain(),
  };
}

function tokenIn(pasted: string, { links, log }: Deps): string | null {
  checkText('claim', pasted);
  const url = links.findToken(pasted);
  if (url === null) log('debug', 'The pasted text has no token');
  return url;
}

/** Says what the app said in vain, which types do not allow. */
function toTracked(
  event: string | StandardEvent,
  [properties, revenue]: [object?, Revenue?],
  { log }: Deps,
): Tracked {
  const isMade = typeof event === 'object' && event !== null;
  if (isMade && event.remark) log('warn', event.remark);
  if (isMade && (properties || revenue))
    log('warn', `“${String(event.name)}”: its fields go to the function of StandardEvent, not to track`);
  return isMade ? event : { name: event, properties, revenue };
}

/** @throws TypeError */
function checkText(method: string, text: unknown): void {
  if (typeof text !== 'string')
    throw new TypeError(`Throughline: ${method} takes a text, not ${describe(text)}.`);
}

/** @throws TypeError */
function checkConsent(consent: Consent): void {
  if (!CONSENTS.includes(consent))
    throw new TypeError(
      `Throughline: consent must be ${CONSENTS.map((each) => `"${each}"`).join(', ')}, not ${describe(consent)}.`,
    );
}
