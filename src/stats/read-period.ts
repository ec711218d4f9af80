/** What a filter leaves of a period: in total, by platform and by interval. */
import type { Db } from '../db/index.ts';
import { entryAt } from '../lib/entry-at.ts';
import {
  addCounts,
  addOrganic,
  addStored,
  addUp,
  type Counts,
  creditedBy,
  noCounts,
  type Organic,
  organicOf,
  withCost,
} from './add-counts.ts';
import { readSpend, type Spend } from './costs/read-spend.ts';
import type { Credit } from './counts.ts';
import type { DimensionFilter } from './dimension-filter.ts';
import { toValue } from './dimensions.ts';
import { intervalAt, intervalsOf, type Period } from './periods.ts';
import { type CellFilter, forEachQuarterHour, type Span, sumCells } from './read-cells.ts';

export interface Of {
  readonly db: Db;
  readonly filter: CellFilter;
  readonly credit: Credit;
}

/** An interval of a series. */
interface IntervalCounts {
  readonly startMs: number;
  /** Whether it is not over, or was cut for the comparison. */
  readonly isPartial: boolean;
  readonly counts: Counts;
}
/** In order. */
export type Series = readonly IntervalCounts[];

export interface Counted {
  readonly totals: Counts;
  readonly byPlatform: ReadonlyMap<string, Counts>;
  readonly series: Series | null;
}

export async function readPeriodOf(of: Of, period: Period, hasSeries: boolean): Promise<Counted> {
  const { startsMs, isLastPartial } = hasSeries
    ? intervalsOf(period)
    : { startsMs: [], isLastPartial: false };
  const intervals =
    startsMs.length > 0 ? await readIntervals(of, period, startsMs) : await readSum(of, period);
  for (const ofPlatform of intervals.values())
    for (const [index, counts] of ofPlatform.entries()) ofPlatform[index] = creditedBy(of.credit, counts);
  const byPlatform = new Map([...intervals].map(([platform, ofPlatform]) => [platform, addUp(ofPlatform)]));
  const all = [...intervals.values()];
  const spend = await readSpend(of.db, of.filter, period, startsMs);
  const organic = await readOrganic(of, period, startsMs, spend);
  const series = startsMs.map((startMs, index) => ({
    startMs,
    isPartial: isLastPartial && index === startsMs.length - 1,
    counts: withCost(
      addUp(all.map((each) => each[index] as Counts)),
      spend?.byInterval?.[index],
      organic?.[index],
    ),
  }));
  const totals = withCost(
    addUp(byPlatform.values()),
    spend?.total,
    organic?.reduce((sum, each) => addOrganic(sum, each)),
  );
  return { totals, byPlatform, series: hasSeries ? series : null };
}

/** The organic installs, by interval, or of the period. Undefined where nothing divides by a cost. */
async function readOrganic(
  of: Of,
  period: Period,
  startsMs: number[],
  spend: Spend | null,
): Promise<Organic[] | undefined> {
  if (spend === null || spend.total.size === 0) return undefined;
  // Organic installs have no campaign, and a network brought its own.
  if (of.filter.campaignId !== null || of.filter.only !== null) return undefined;
  const only = { dimension: 'method', values: [toValue('ORGANIC')] } as const;
  const organic = { ...of, filter: { ...of.filter, only } };
  const byPlatform =
    startsMs.length > 0 ? await readIntervals(organic, period, startsMs) : await readSum(organic, period);
  const all = [...byPlatform.values()];
  const intervals = startsMs.length > 0 ? startsMs : [period.fromMs];
  return intervals.map((_, index) => organicOf(addUp(all.map((each) => each[index] as Counts))));
}

type ByPlatform = Map<string, Counts[]>;

async function readIntervals({ db, filter }: Of, period: Period, startsMs: number[]): Promise<ByPlatform> {
  const intervals: ByPlatform = new Map();
  const wanted = { ...cellsOfFilter(filter.only), ...period };
  await forEachQuarterHour(db, filter, wanted, ({ dimension, platform }, atMs, stored) => {
    const ofPlatform = entryAt(intervals, platform, () => startsMs.map(noCounts));
    const counts = ofPlatform[intervalAt(startsMs, atMs)] as Counts;
    if (signOf(filter.only, dimension) === 1) return addStored(counts, stored);
    const subtracted = noCounts();
    addStored(subtracted, stored);
    addCounts(counts, subtracted, -1);
  });
  return intervals;
}

async function readSum({ db, filter }: Of, period: Period): Promise<ByPlatform> {
  const sums = await sumFiltered(db, filter, { ...period, keyBy: 'platform' });
  return new Map([...sums].map(([platform, counts]) => [platform, [counts]]));
}

interface Summed extends Span {
  readonly keyBy: 'platform' | 'campaign';
  readonly campaignIds?: readonly string[];
}

/** What a filter leaves, by platform or campaign. */
export async function sumFiltered(db: Db, filter: CellFilter, of: Summed): Promise<Map<string, Counts>> {
  const sums = new Map<string, Counts>();
  for (const [dimension, byKey] of await sumCells(db, filter, { ...cellsOfFilter(filter.only), ...of }))
    for (const [key, counts] of byKey)
      addCounts(entryAt(sums, key, noCounts), counts, signOf(filter.only, dimension));
  return sums;
}

/** The cells that add up to what a filter leaves. Those without a value are all cells less those with one. */
export function cellsOfFilter(only: DimensionFilter | null): {
  dimensions: readonly string[];
  values?: readonly string[];
  network?: string;
} {
  if (only === null) return { dimensions: [''] };
  const { dimension, values, withoutCampaign: network } = only;
  if (network !== undefined) return { dimensions: [dimension, 'networkCampaign'], network };
  return values === null ? { dimensions: ['', dimension] } : { dimensions: [dimension], values };
}

export function signOf(only: DimensionFilter | null, dimension: string): 1 | -1 {
  if (only?.withoutCampaign !== undefined) return dimension === 'networkCampaign' ? -1 : 1;
  return only?.values === null && dimension !== '' ? -1 : 1;
}
