import type { Actor } from '../auth/index.ts';
import { type Db, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { findLinkIdByCode } from '../links/index.ts';
import { type CellFilter, forEachQuarter, sumByValue, sumLargestLinks } from './cell-reader.ts';
import { type Dimension, fromValue, NONE, OTHER } from './dimensions.ts';
import {
  addNumbers,
  addQuarter,
  type Credit,
  countOf,
  creditedBy,
  isEmpty,
  type Numbers,
  noNumbers,
} from './metrics.ts';
import { type PeriodInput, readPeriod, type StatsPeriod } from './periods.ts';

type GroupBy = Dimension | 'platform';

type Sort =
  | 'clicks'
  | 'otherClicks'
  | 'installs'
  | 'attributedInstalls'
  | 'organicInstalls'
  | 'existingUsers'
  | 'opens'
  | 'directOpens'
  | 'events'
  | 'revenue';

interface StatsInput extends PeriodInput {
  readonly groupBy?: GroupBy | undefined;
  readonly limit?: number | undefined;
  readonly sort?: Sort | undefined;
  readonly shortCode?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly platform?: string | undefined;
  readonly credit?: Credit | undefined;
  readonly sandbox?: boolean | undefined;
}

export interface Group {
  /** Null where records have no value of the dimension. */
  readonly key: string | null;
  readonly numbers: Numbers;
}

export interface Stats {
  readonly period: StatsPeriod;
  readonly totals: Numbers;
  readonly previous: Numbers;
  /** One for each interval, in order. */
  readonly series: readonly Numbers[];
  readonly groupBy: GroupBy | null;
  /** In the requested order, at most as many as requested. Links by ID. */
  readonly groups: readonly Group[];
  /** The totals less the groups. */
  readonly other: Numbers;
}

const DEFAULT_LIMIT = 20;

/**
 * An app's numbers, including everything that this process acknowledged before.
 * @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`.
 */
export async function readStats(
  { db, clock, counted }: { db: Db; clock: Clock; counted: (appId: string) => Promise<void> },
  { actor, input }: { actor: Actor; input: StatsInput },
): Promise<Stats> {
  const period = readPeriod({ clock }, input);
  const filter = await toFilter(db, actor, input);
  await counted(actor.appId);
  const { credit = 'install', groupBy = null, limit = DEFAULT_LIMIT, sort = 'clicks' } = input;
  const read = await readSeries(db, filter, { period, credit });
  const grouping = { period, credit, sort, limit, ...read };
  const groups = groupBy === null ? [] : await readGroups(db, filter, { groupBy, ...grouping });
  const shown = groups.sort(byMetric(sort, read.totals)).slice(0, limit);
  const other = copyOf(read.totals);
  for (const { numbers } of shown) addNumbers(other, numbers, -1);
  const { totals, previous, series } = read;
  return { period, totals, previous, series, groupBy, groups: shown, other };
}

/** @returns the sandbox filter of a key: a test key sees the sandbox only. @throws AppError `request.invalid`. */
export function sandboxOf(actor: Actor, sandbox: boolean | undefined): 0 | 1 {
  if (actor.mode === 'test' && sandbox === false)
    throw new AppError('request.invalid', { message: 'sandbox must be true with a test key.' });
  return toFlag(actor.mode === 'test' || sandbox === true);
}

async function toFilter(db: Db, actor: Actor, input: StatsInput): Promise<CellFilter> {
  const { shortCode, campaignId = null, platform = null } = input;
  const linkId = shortCode === undefined ? undefined : await findLinkIdByCode(db, actor, shortCode);
  if (shortCode !== undefined && linkId === undefined) throw new AppError('link.not_found');
  return {
    appId: actor.appId,
    sandbox: sandboxOf(actor, input.sandbox),
    linkId: linkId ?? null,
    campaignId,
    platform,
  };
}

interface Series {
  readonly totals: Numbers;
  readonly previous: Numbers;
  readonly series: Numbers[];
  readonly byPlatform: ReadonlyMap<string, Numbers>;
}

async function readSeries(
  db: Db,
  filter: CellFilter,
  { period, credit }: { period: StatsPeriod; credit: Credit },
): Promise<Series> {
  const { startsMs, endMs, previousStartMs } = period;
  const [startMs = endMs] = startsMs;
  const before = await sumByValue(db, filter, '', { fromMs: previousStartMs, toMs: startMs });
  const series = startsMs.map(() => noNumbers());
  const byPlatform = new Map<string, Numbers>();
  await forEachQuarter(db, filter, { fromMs: startMs, toMs: endMs }, (atMs, platform, quarter) => {
    const sum = byPlatform.get(platform) ?? noNumbers();
    byPlatform.set(platform, sum);
    addQuarter(sum, quarter);
    const interval = series[intervalAt(startsMs, atMs)];
    if (interval !== undefined) addQuarter(interval, quarter);
  });
  const totals = noNumbers();
  for (const numbers of byPlatform.values()) addNumbers(totals, numbers);
  const credited = (numbers: Numbers) => creditedBy(credit, numbers);
  return {
    totals: credited(totals),
    previous: credited(before.get('') ?? noNumbers()),
    series: series.map(credited),
    byPlatform: new Map([...byPlatform].map(([platform, numbers]) => [platform, credited(numbers)])),
  };
}

/** @returns the index of the last start that is not after a time. */
function intervalAt(startsMs: readonly number[], atMs: number): number {
  let [low, high] = [0, startsMs.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((startsMs[middle] ?? 0) <= atMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

interface Grouping extends Series {
  readonly groupBy: GroupBy;
  readonly period: StatsPeriod;
  readonly credit: Credit;
  readonly sort: Sort;
  readonly limit: number;
}

/** All groups, or at least those to show. */
async function readGroups(db: Db, filter: CellFilter, grouping: Grouping): Promise<Group[]> {
  const { groupBy, period, credit, sort, limit, totals, byPlatform } = grouping;
  if (groupBy === 'platform')
    return [...byPlatform].map(([platform, numbers]) => ({ key: platform || null, numbers }));
  const [fromMs = period.endMs] = period.startsMs;
  const range = { fromMs, toMs: period.endMs };
  if (groupBy === 'link' && filter.linkId === null && sort !== 'revenue') {
    const metricOf = (numbers: Numbers) => countMetric(sort, creditedBy(credit, numbers));
    const sums = await sumLargestLinks(db, filter, range, { metricOf, limit });
    return [...sums]
      .map(([value, cell]) => ({
        key: value === NONE ? null : fromValue(value),
        numbers: creditedBy(credit, cell),
      }))
      .filter(({ numbers }) => !isEmpty(numbers));
  }
  const groups: Group[] = [];
  const none = copyOf(totals);
  for (const [value, cell] of await sumByValue(db, filter, groupBy, range)) {
    if (value === NONE) continue;
    const numbers = creditedBy(credit, cell);
    addNumbers(none, numbers, -1);
    if (value !== OTHER && !isEmpty(numbers)) groups.push({ key: fromValue(value), numbers });
  }
  return isEmpty(none) ? groups : [...groups, { key: null, numbers: none }];
}

function copyOf(numbers: Numbers): Numbers {
  const copy = noNumbers();
  addNumbers(copy, numbers);
  return copy;
}

/** Largest first; equal groups by key, null last. Revenue is compared in the currency with the largest total. */
function byMetric(sort: Sort, totals: Numbers): (a: Group, b: Group) => number {
  const [[currency = ''] = []] = [...totals.revenue].sort(([, a], [, b]) => (a < b ? 1 : -1));
  const metric = (numbers: Numbers): bigint => {
    if (sort === 'revenue') return numbers.revenue.get(currency) ?? 0n;
    return BigInt(countMetric(sort, numbers));
  };
  return (a, b) => {
    const [left, right] = [metric(a.numbers), metric(b.numbers)];
    if (left !== right) return left > right ? -1 : 1;
    if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
    return a.key < b.key ? -1 : 1;
  };
}

function countMetric(sort: Exclude<Sort, 'revenue'>, numbers: Numbers): number {
  return sort === 'organicInstalls' ? organicInstallsOf(numbers) : countOf(numbers, sort);
}

export function organicInstallsOf(numbers: Numbers): number {
  return countOf(numbers, 'installs') - countOf(numbers, 'attributedInstalls');
}
