import type { Actor } from '../auth/index.ts';
import { type Db, type Flag, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { entryAt } from '../lib/entry-at.ts';
import { findLinkIdByCode } from '../links/index.ts';
import { addStored, addUp, type Counts, creditedBy, noCounts } from './add-counts.ts';
import { readSpend, readSpendByCampaign, type Spend } from './costs/read-spend.ts';
import { type Credit, columnOf, isOfCosts, type MetricName } from './counts.ts';
import { firstGroups, type GroupBy, type Grouping, toGroups, withCosts } from './groups.ts';
import { listLargestLinks } from './largest-links.ts';
import { intervalAt, type Period, type PeriodInput, periodBefore, readPeriod, startsOf } from './periods.ts';
import { type CellFilter, type CountsByKey, forEachQuarterHour, sumCells } from './read-cells.ts';

/** What an answer can have; `previousSeries` on request only. */
export const PARTS = ['totals', 'series', 'previous', 'groups', 'previousSeries'] as const;
export type Part = (typeof PARTS)[number];
export const DEFAULT_PARTS: readonly Part[] = PARTS.slice(0, 4);

export interface StatsInput extends PeriodInput {
  readonly include: ReadonlySet<Part>;
  readonly groupBy: readonly GroupBy[];
  readonly limit?: number | undefined;
  readonly sort?: MetricName | undefined;
  readonly shortCode?: string | undefined;
  readonly campaignId?: string | undefined;
  readonly platform?: string | undefined;
  readonly credit?: Credit | undefined;
  readonly sandbox?: boolean | undefined;
}

/** By interval. */
export type Series = readonly (readonly [startMs: number, counts: Counts])[];

/** Null is what was not asked for. */
export interface Stats {
  readonly period: Period;
  readonly totals: Counts | null;
  /** Of the period with as many days before. */
  readonly previous: Counts | null;
  readonly series: Series | null;
  readonly previousSeries: Series | null;
  /** One without groups if there is no dimension. */
  readonly groupings: readonly Grouping[] | null;
}

const DEFAULT_LIMIT = 20;

interface Deps {
  readonly db: Db;
  readonly clock: Clock;
  /** Resolves once everything that this process acknowledged is in the cells of an app. */
  readonly counted: (appId: string) => Promise<void>;
}

/**
 * An app's counts, including everything that this process acknowledged before.
 * @throws AppError `request.invalid`, `link.not_found`, `clicks.behind`.
 */
export async function readStats(
  { db, clock, counted }: Deps,
  { actor, input }: { actor: Actor; input: StatsInput },
): Promise<Stats> {
  const period = readPeriod({ clock }, input);
  const filter = await toCellFilter(db, actor, input);
  await counted(actor.appId);
  const { include, groupBy, credit = 'install', sort = 'clicks', limit = DEFAULT_LIMIT } = input;
  const of = { db, filter, credit };
  const has = (...parts: Part[]) => parts.some((part) => include.has(part));
  const now = has('totals', 'series', 'groups') ? await readPeriodOf(of, period, has('series')) : null;
  const before = has('previous', 'previousSeries')
    ? await readPeriodOf(of, periodBefore(period), has('previousSeries'))
    : null;
  return {
    period,
    totals: has('totals') ? (now?.totals ?? null) : null,
    previous: has('previous') ? (before?.totals ?? null) : null,
    series: now?.series ?? null,
    previousSeries: before?.series ?? null,
    groupings:
      has('groups') && now !== null ? await readGroupings(of, { groupBy, period, sort, limit }, now) : null,
  };
}

/** @returns the sandbox filter of a key: a test key sees the sandbox only. @throws AppError `request.invalid`. */
export function sandboxOf(actor: Actor, sandbox: boolean | undefined): Flag {
  if (actor.mode === 'test' && sandbox === false)
    throw new AppError('request.invalid', { message: 'sandbox must be true with a test key.' });
  return toFlag(actor.mode === 'test' || sandbox === true);
}

async function toCellFilter(db: Db, actor: Actor, input: StatsInput): Promise<CellFilter> {
  const { shortCode, campaignId = null, platform = null } = input;
  const linkId = shortCode === undefined ? null : await findLinkIdByCode(db, actor, shortCode);
  if (linkId === undefined) throw new AppError('link.not_found');
  return { appId: actor.appId, sandbox: sandboxOf(actor, input.sandbox), linkId, campaignId, platform };
}

interface Of {
  readonly db: Db;
  readonly filter: CellFilter;
  readonly credit: Credit;
}

interface Counted {
  readonly totals: Counts;
  readonly byPlatform: ReadonlyMap<string, Counts>;
  readonly series: Series | null;
}

async function readPeriodOf(of: Of, period: Period, hasSeries: boolean): Promise<Counted> {
  const startsMs = hasSeries ? startsOf(period) : [period.fromMs];
  const intervals = hasSeries ? await readIntervals(of, period, startsMs) : await readSum(of, period);
  for (const ofPlatform of intervals.values())
    for (const [index, counts] of ofPlatform.entries()) ofPlatform[index] = creditedBy(of.credit, counts);
  const byPlatform = new Map([...intervals].map(([platform, ofPlatform]) => [platform, addUp(ofPlatform)]));
  const all = [...intervals.values()];
  const series = startsMs.map((startMs, index) => {
    return [startMs, addUp(all.map((each) => each[index] as Counts))] as const;
  });
  const counted = { totals: addUp(byPlatform.values()), byPlatform, series: hasSeries ? series : null };
  return addSpend(counted, await readSpend(of.db, of.filter, period, { hasSeries }));
}

function addSpend(counted: Counted, spend: Spend | null): Counted {
  if (spend === null) return counted;
  const { total: cost, byInterval } = spend;
  const series = counted.series?.map(([startMs, counts], index) => {
    const ofInterval = byInterval?.[index];
    return [startMs, ofInterval === undefined ? counts : { ...counts, cost: ofInterval }] as const;
  });
  return { ...counted, totals: { ...counted.totals, cost }, series: series ?? null };
}

type ByPlatform = Map<string, Counts[]>;

async function readIntervals({ db, filter }: Of, period: Period, startsMs: number[]): Promise<ByPlatform> {
  const intervals: ByPlatform = new Map();
  await forEachQuarterHour(db, filter, { dimensions: [''], ...period }, ({ platform }, atMs, counts) => {
    const ofPlatform = entryAt(intervals, platform, () => startsMs.map(noCounts));
    addStored(ofPlatform[intervalAt(startsMs, atMs)] as Counts, counts);
  });
  return intervals;
}

async function readSum({ db, filter }: Of, period: Period): Promise<ByPlatform> {
  const sums = await sumCells(db, filter, { dimensions: [''], ...period });
  return new Map([...(sums.get('') ?? [])].map(([platform, counts]) => [platform, [counts]]));
}

interface Grouped {
  readonly groupBy: readonly GroupBy[];
  readonly period: Period;
  readonly sort: MetricName;
  readonly limit: number;
}

async function readGroupings(of: Of, by: Grouped, counted: Counted): Promise<Grouping[]> {
  const { totals, byPlatform } = counted;
  if (by.groupBy.length === 0) return [firstGroups(null, [], { totals, ...by })];
  const sums = await sumGroups(of, by);
  // Only campaigns have costs.
  const { cost: _cost, ...ofRecords } = totals;
  const sort = sortOfRecords(by.sort);
  const byCampaign = by.groupBy.includes('campaign')
    ? await readSpendByCampaign(of.db, of.filter, by.period)
    : null;
  return by.groupBy.map((dimension) => {
    if (dimension === 'platform') {
      const groups = [...byPlatform].map(([platform, counts]) => ({ key: platform || null, counts }));
      return firstGroups(dimension, groups, { ...by, totals: ofRecords, sort });
    }
    const sumsOf = sums.get(dimension) ?? new Map<string, Counts>();
    const groups = toGroups(dimension, sumsOf, { totals: ofRecords, credit: of.credit });
    if (dimension === 'campaign' && byCampaign !== null)
      return firstGroups(dimension, withCosts(groups, byCampaign), { totals, ...by });
    return firstGroups(dimension, groups, { ...by, totals: ofRecords, sort });
  });
}

/** Where costs are not known, in place of a sort by them. */
function sortOfRecords(sort: MetricName): MetricName {
  return isOfCosts(sort) ? 'clicks' : sort;
}

async function sumGroups(
  { db, filter, credit }: Of,
  { groupBy, period, sort, limit }: Grouped,
): Promise<CountsByKey> {
  const dimensions = groupBy.filter((dimension) => dimension !== 'platform');
  const column = columnOf(sortOfRecords(sort), credit);
  const hasManyLinks = dimensions.includes('link') && filter.linkId === null && column !== null;
  const values = hasManyLinks ? await listLargestLinks(db, { filter, column, ...period }, limit) : undefined;
  if (values === undefined) return await sumCells(db, filter, { dimensions, ...period });
  const others = dimensions.filter((dimension) => dimension !== 'link');
  return new Map([
    ...(await sumCells(db, filter, { dimensions: others, ...period })),
    ...(await sumCells(db, filter, { dimensions: ['link'], values, ...period })),
  ]);
}
