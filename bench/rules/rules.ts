/**
 * The time of the event loop for the choice of a rule, beside the plainest loop: as many comparisons of the same facts,
 * already read. Both take turns.
 */

import type { LinkRule } from '../../src/links/choice/rules.ts';
import type { ResolvedLink } from '../../src/links/index.ts';
import { linkByPlatform } from '../../src/redirect/link-by-platform.ts';
import { median, spread, table } from '../lib/markdown.ts';

const RULES = 20;
const ROUNDS = 9;
const TAPS = { whole: 200_000, quick: 5_000 };
const NS_PER_US = 1_000;
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const HEADERS = { 'user-agent': IPHONE, 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' };
const QUERY = new Map([
  ['utm_source', 'poster'],
  ['coupon', 'x'],
]);

/** By what they ask; none holds before the last one, so that all are tried. */
const CONDITIONS: Readonly<Record<string, LinkRule['when']>> = {
  country: { country: ['DE', 'CH', 'FR'] },
  platform: { platform: 'ANDROID' },
  language: { language: ['en', 'fr', 'pt-BR'] },
  'system version': { osVersion: { min: '18' } },
  parameter: { query: { coupon: 'other' } },
  time: { to: '2020-01-01T00:00:00Z' },
  percent: { percent: 0 },
  'all of these': {
    ...{ platform: 'IOS', country: 'AT', language: 'de', osVersion: { min: '17' } },
    ...{ query: { coupon: null }, from: '2020-01-01T00:00:00Z', percent: 0 },
  },
};

export async function benchRules({ isQuick }: { isQuick: boolean }): Promise<string> {
  const taps = isQuick ? TAPS.quick : TAPS.whole;
  const without = linkWith([]);
  const rows = Object.entries(CONDITIONS).map(([name, when]) => {
    const link = linkWith([...Array.from({ length: RULES - 1 }, () => when), {}]);
    const rounds = Array.from({ length: ROUNDS }, () => ({
      none: nsOf(taps, (id) => tap(without, id)),
      plain: nsOf(taps, plainLoop),
      ours: nsOf(taps, (id) => tap(link, id)),
    }));
    const us = (of: (round: (typeof rounds)[number]) => number) =>
      (median(rounds.map(of)) / NS_PER_US).toFixed(2);
    return [
      name,
      us(({ ours }) => ours),
      us(({ ours, none }) => ours - none),
      us(({ none }) => none),
      spread(rounds.map(({ ours, plain }) => ours / plain)),
    ];
  });
  return `${table(
    [
      `${RULES} rules by`,
      'Choice, µs',
      'More than without rules, µs',
      'Without rules, µs',
      'Ours / plainest loop',
    ],
    rows,
  )}\n`;
}

function linkWith(conditions: readonly LinkRule['when'][]): ResolvedLink {
  const rules = conditions.map((when, place) => ({
    when,
    then: { fallbackUrl: `https://example.com/${place}` },
  }));
  const link = { rules, passQuery: [], fallbackUrl: 'https://example.com/', deepLinkPath: '/' };
  return link as unknown as ResolvedLink;
}

/** As a redirect asks for the link of its visitor. */
function tap(link: ResolvedLink, id: string): number {
  const facts = { id, atMs: 1_790_000_000_000, country: 'AT', query: QUERY, rest: null };
  return linkByPlatform(link, HEADERS, facts)('IOS').fallbackUrl?.length ?? 0;
}

const FACTS = Array.from({ length: RULES }, (_, place) => `fact ${place}`);

function plainLoop(id: string): number {
  for (let place = 0; place < FACTS.length; place++) if (FACTS[place] === id) return place;
  return -1;
}

/** Nanoseconds a call, with an id of its own each time. */
function nsOf(calls: number, call: (id: string) => number): number {
  const ids = Array.from(
    { length: 1_000 },
    (_, index) => `01a1f88f-e5b7-7d62-aa89-${String(index).padStart(12, '0')}`,
  );
  let sum = 0;
  // Of this thread: others of the machine do not count.
  const started = process.threadCpuUsage();
  for (let index = 0; index < calls; index++) sum += call(ids[index % ids.length] ?? '');
  const { user, system } = process.threadCpuUsage(started);
  const ns = ((user + system) * NS_PER_US) / calls;
  if (Number.isNaN(sum)) throw new Error('no call returned a number');
  return ns;
}
