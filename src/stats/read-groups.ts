/** The groups of a period, with what they had in the period before. */
import { FORGOTTEN_INVITER } from '../links/index.ts';
import { type Counts, isEmpty, withCost } from './add-counts.ts';
import { hasCosts, isSpendDimension, readSpendByKey } from './costs/read-spend.ts';
import { columnOf, isOfCosts, type MetricName } from './counts.ts';
import type { DimensionFilter } from './dimension-filter.ts';
import { fromValue, NONE, toValue } from './dimensions.ts';
import { sumCampaigns, sumLargestLinks, sumLinks } from './filtered-groups.ts';
import {
  firstGroups,
  type Group,
  type GroupBy,
  type Grouping,
  toGroups,
  withCosts,
  withPrevious,
} from './groups.ts';
import { listLargestLinks } from './largest-links.ts';
import { sumNetworks } from './network-groups.ts';
import type { Period } from './periods.ts';
import { type CellFilter, type CountsByKey, sumCells } from './read-cells.ts';
import type { Counted, Of } from './read-period.ts';

interface GroupsOf {
  readonly groupBy: readonly GroupBy[];
  readonly sort: MetricName;
  readonly limit: number;
}

type CountedPeriod = Counted & { readonly period: Period };

/** One without groups if there is no dimension. @param before null without `previous`. */
export async function readGroupings(
  of: Of,
  by: GroupsOf,
  { now, before }: { now: CountedPeriod; before: CountedPeriod | null },
): Promise<Grouping[]> {
  if (by.groupBy.length === 0) return [firstGroups(null, [], { totals: now.totals, ...by })];
  const groups = await readGroups(of, by, now);
  const groupings = by.groupBy.map((dimension) => {
    const totals = totalsOf(dimension, of, now);
    const sort = totals.cost === undefined ? sortOfRecords(by.sort) : by.sort;
    return firstGroups(dimension, groups(dimension), { totals, sort, limit: by.limit });
  });
  if (before === null) return groupings;
  const shown = groupings.find(({ groupBy }) => groupBy === 'link')?.groups ?? [];
  const links = shown.map(({ key }) => (key === null ? NONE : toValue(key)));
  const earlier = await readGroups(of, by, before, links);
  return by.groupBy.map((dimension, index) =>
    withPrevious(groupings[index] as Grouping, earlier(dimension), totalsOf(dimension, of, before)),
  );
}

function totalsOf(dimension: GroupBy, { filter }: Of, { totals }: Counted): Counts {
  return isSpendDimension(dimension) && hasCosts(dimension, filter) ? totals : withCost(totals, undefined);
}

/** In place of a sort by costs, where they are not known. */
function sortOfRecords(sort: MetricName): MetricName {
  return isOfCosts(sort) ? 'clicks' : sort;
}

type GroupsBy = (dimension: GroupBy) => Group[];

/** @param links by stored value; the largest, if they are left out. */
async function readGroups(
  of: Of,
  by: GroupsOf,
  counted: CountedPeriod,
  links?: readonly string[],
): Promise<GroupsBy> {
  const { only } = of.filter;
  const groups =
    only === null
      ? groupsOf(await sumGroups(of, by, counted.period, links), of, counted)
      : await readFilteredGroups({ ...of, filter: { ...of.filter, only } }, by, counted, links);
  const costs = by.groupBy.some(isSpendDimension)
    ? await readSpendByKey(of.db, of.filter, counted.period)
    : null;
  return (dimension) => {
    if (costs !== null && isSpendDimension(dimension) && hasCosts(dimension, of.filter))
      return withCosts(groups(dimension), costs[dimension], counted.totals.organic);
    if (dimension === 'inviter' && of.filter.linkId !== null) return inviterOfLink(of.filter, counted);
    if (dimension !== 'platform') return groups(dimension);
    return (
      [...counted.byPlatform]
        // A link's cells may have events that are only credited to it.
        .filter(([, counts]) => !isEmpty(counts))
        .map(([platform, counts]) => ({ key: platform || null, counts }))
    );
  };
}

/** The sole group of a link. */
function inviterOfLink({ inviter = null }: CellFilter, { totals }: Counted): Group[] {
  const isOther = inviter === FORGOTTEN_INVITER || isEmpty(totals);
  return isOther ? [] : [{ key: inviter, counts: totals }];
}

function groupsOf(sums: CountsByKey, { credit }: Of, { totals }: Counted): GroupsBy {
  return (dimension) =>
    dimension === 'platform' ? [] : toGroups(dimension, sums.get(dimension) ?? new Map(), { totals, credit });
}

async function sumGroups(
  { db, filter, credit }: Of,
  { groupBy, sort, limit }: GroupsOf,
  period: Period,
  links: readonly string[] | undefined,
): Promise<CountsByKey> {
  const dimensions = groupBy.filter((dimension) => dimension !== 'platform');
  const column = columnOf(sortOfRecords(sort), credit);
  const hasManyLinks = dimensions.includes('link') && filter.linkId === null;
  const values =
    hasManyLinks && links === undefined && column !== null
      ? await listLargestLinks(db, { filter, column, ...period }, limit)
      : links;
  if (!hasManyLinks || values === undefined) return await sumCells(db, filter, { dimensions, ...period });
  const others = dimensions.filter((dimension) => dimension !== 'link');
  return new Map([
    ...(await sumCells(db, filter, { dimensions: others, ...period })),
    ...(await sumCells(db, filter, { dimensions: ['link'], values, ...period })),
  ]);
}

/** Records without a link are in no group of links. */
async function readFilteredGroups(
  of: Of & { readonly filter: { readonly only: DimensionFilter } },
  { groupBy, sort, limit }: GroupsOf,
  counted: CountedPeriod,
  links: readonly string[] | undefined,
): Promise<GroupsBy> {
  const { linkId, only } = of.filter;
  const { period, totals } = counted;
  const sums = new Map<string, ReadonlyMap<string, Counts>>();
  if (groupBy.includes('campaign') && only.dimension !== 'campaign')
    sums.set('campaign', await sumCampaigns(of, period));
  for (const [dimension, counts] of await sumNetworks(of, groupBy, period)) sums.set(dimension, counts);
  if (groupBy.includes('link') && linkId === null && only.dimension !== 'link')
    sums.set(
      'link',
      links === undefined
        ? await sumLargestLinks(of, period, { sort: sortOfRecords(sort), limit })
        : await sumLinks(of, period, links),
    );
  const groups = groupsOf(sums, of, counted);
  return (dimension) => {
    const key = dimension === only.dimension ? fromValue(only.values?.[0] ?? NONE) || null : linkId;
    const isSole = dimension === only.dimension || (dimension === 'link' && linkId !== null);
    if (!isSole || sums.has(dimension)) return groups(dimension);
    return isEmpty(totals) ? [] : [{ key, counts: totals }];
  };
}
