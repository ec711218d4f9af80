/** The groups of an answer: the values of a dimension with their counts, and what is left. */
import {
  addCounts,
  type Counts,
  copyOf,
  creditedBy,
  isEmpty,
  NO_ORGANIC,
  noCounts,
  type Organic,
  withCost,
} from './add-counts.ts';
import type { Credit, MetricName } from './counts.ts';
import { type Dimension, fromValue, NONE, OTHER } from './dimensions.ts';
import { byMetric } from './metrics.ts';
import { type Money, NO_MONEY } from './revenue.ts';

export type GroupBy = Dimension | 'platform';

export interface Group {
  /** Null where records have no value of the dimension. Links by ID. */
  readonly key: string | null;
  readonly counts: Counts;
  /** Of the period before, if it was read. */
  readonly previous?: Counts;
}

export interface Grouping {
  /** Null without groups. */
  readonly groupBy: GroupBy | null;
  readonly groups: readonly Group[];
  /** The totals less the groups. */
  readonly other: Counts;
  readonly otherPrevious?: Counts;
}

/** The first groups by a metric; equal ones by key, null last. */
export function firstGroups(
  groupBy: GroupBy | null,
  groups: readonly Group[],
  { totals, sort, limit }: { totals: Counts; sort: MetricName; limit: number },
): Grouping {
  const compare = byMetric(
    sort,
    totals,
    groups.map(({ counts }) => counts),
  );
  const sorted = groups.toSorted((a, b) => compare(a.counts, b.counts) || byKey(a, b));
  const [first, other] = [sorted.slice(0, limit), copyOf(totals)];
  for (const { counts } of first) addCounts(other, counts, -1);
  return { groupBy, groups: first, other };
}

/** @param before the groups of the period before, and its totals. */
export function withPrevious(grouping: Grouping, before: readonly Group[], totals: Counts): Grouping {
  const byKey = new Map(before.map(({ key, counts }) => [key, counts]));
  const otherPrevious = copyOf(totals);
  const groups = grouping.groups.map((group) => {
    const previous = byKey.get(group.key) ?? withCost(noCounts(), totals.cost && NO_MONEY);
    addCounts(otherPrevious, previous, -1);
    return { ...group, previous };
  });
  return { ...grouping, groups, otherPrevious };
}

function byKey(a: Group, b: Group): number {
  if (a.key === null || b.key === null) return a.key === null ? 1 : -1;
  return a.key < b.key ? -1 : 1;
}

/** @param sums by stored value. */
export function toGroups(
  dimension: Dimension,
  sums: ReadonlyMap<string, Counts>,
  { totals, credit }: { totals: Counts; credit: Credit },
): Group[] {
  const groups: Group[] = [];
  const none = copyOf(withCost(totals, undefined));
  for (const [value, sum] of sums) {
    const counts = creditedBy(credit, sum);
    if (value !== NONE) addCounts(none, counts, -1);
    if (value === OTHER || isEmpty(counts)) continue;
    groups.push({ key: value === NONE ? null : fromValue(value), counts });
  }
  // Of links perhaps only some were read: records without one have cells.
  return dimension === 'link' || isEmpty(none) ? groups : [...groups, { key: null, counts: none }];
}

/** Campaigns or networks with their costs, those with costs alone too. */
export function withCosts(
  groups: readonly Group[],
  byKey: ReadonlyMap<string, Money>,
  organic: Organic | undefined,
): Group[] {
  const counted = new Set(groups.map(({ key }) => key));
  const others = [...byKey.keys()].filter((key) => !counted.has(key));
  return [...groups, ...others.map((key) => ({ key, counts: noCounts() }))].map(({ key, counts }) => ({
    key,
    // Organic installs have neither.
    counts: withCost(counts, byKey.get(key ?? '') ?? NO_MONEY, key === null ? organic : NO_ORGANIC),
  }));
}
