/** What people do in the app after its first start; pure. Each day fewer of them come back. */
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../lib/clock.ts';
import type { Random } from '../traffic/random.ts';

export interface Use {
  readonly atMs: number;
  readonly what:
    | { readonly type: 'session' }
    | { readonly type: 'identify' }
    | {
        readonly type: 'event';
        readonly eventName: string;
        readonly properties: Readonly<Record<string, unknown>>;
        readonly revenue: { readonly amount: string; readonly currency: string } | null;
      }
    /** By a link that the installed app opens itself. */
    | { readonly type: 'direct_open' }
    /** By a tap in a browser, which leads into the app. */
    | { readonly type: 'open' };
}

/** Retention: the share that returns on day N is `FIRST * N ** -FALL`. */
const RETURNS_FIRST = 0.36;
const RETURNS_FALL = 0.72;
const DIRECT_OPEN_SHARE = 0.14;
const OPEN_SHARE = 0.08;
const IDENTIFIED_SHARE = 0.4;
/** Chances on a day of use. */
const EVENTS = { view_item: 0.55, search: 0.3, add_to_cart: 0.2, purchase: 0.1, share: 0.04 } as const;
const FIRST_DAY_FACTOR = 1.4;
const PRICES = ['19.90', '34.50', '49.00', '59.90', '79.95', '89.00', '129.00'];

/** In time order; nothing after `nowMs`. */
export function planUse(
  random: Random,
  { installedAtMs, currency, nowMs }: { installedAtMs: number; currency: string; nowMs: number },
): Use[] {
  const uses = useOfDay(random, { atMs: installedAtMs + 20_000, currency, factor: FIRST_DAY_FACTOR });
  if (random.chance(IDENTIFIED_SHARE)) {
    const atMs = installedAtMs + random.between(1, 4) * MINUTE_MS;
    uses.push({ atMs, what: { type: 'identify' } }, eventAt(atMs + 500, 'sign_up', {}));
  }
  // Some people like the app more than others.
  const liking = random.logNormal(1, 0.6);
  const days = Math.floor((nowMs - installedAtMs) / DAY_MS);
  for (let day = 1; day <= days; day++) {
    if (!random.chance(RETURNS_FIRST * liking * day ** -RETURNS_FALL)) continue;
    const atMs = installedAtMs + day * DAY_MS + (random.next() - 0.5) * 3 * HOUR_MS;
    uses.push(...useOfDay(random, { atMs, currency, factor: 1 }));
    if (random.chance(DIRECT_OPEN_SHARE)) uses.push({ atMs: atMs - 2_000, what: { type: 'direct_open' } });
    else if (random.chance(OPEN_SHARE)) uses.push({ atMs: atMs - 2_000, what: { type: 'open' } });
  }
  return uses.filter(({ atMs }) => atMs < nowMs).sort((a, b) => a.atMs - b.atMs);
}

function useOfDay(
  random: Random,
  { atMs, currency, factor }: { atMs: number; currency: string; factor: number },
): Use[] {
  const names = Object.entries(EVENTS).flatMap(([name, chance]) =>
    random.chance(Math.min(1, chance * factor)) ? name : [],
  );
  if (names.length === 0) return [{ atMs, what: { type: 'session' } }];
  let eventMs = atMs;
  return names.map((name) => {
    eventMs += random.exponential(MINUTE_MS);
    return eventOf(random, { name, currency, atMs: eventMs });
  });
}

function eventOf(
  random: Random,
  { name, currency, atMs }: { name: string; currency: string; atMs: number },
): Use {
  const item = `shoe-${random.between(100, 180)}`;
  switch (name) {
    case 'purchase': {
      const revenue = { amount: random.pick(PRICES), currency };
      return eventAt(atMs, name, { item, size: random.between(36, 46) }, revenue);
    }
    case 'search':
      return eventAt(atMs, name, { words: random.pick(['boots', 'sandals', 'running', 'white sneakers']) });
    default:
      return eventAt(atMs, name, { item });
  }
}

function eventAt(
  atMs: number,
  eventName: string,
  properties: Readonly<Record<string, unknown>>,
  revenue: { amount: string; currency: string } | null = null,
): Use {
  return { atMs, what: { type: 'event', eventName, properties, revenue } };
}
