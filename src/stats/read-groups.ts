/** The groups of a period, with what they had in the period before. */
import { type Counts, isEmpty } from './add-counts.ts';
import { columnOf, type MetricName } from './counts.ts';
import type { DimensionFilter } from './dimension-filter.ts';
import { fromValue, NONE, toValue } from './dimensions.ts';
import { sumCampaigns, sumLargestLinks, sumLinks } from './filtered-groups.ts';
import { firstGroups, type Group, type GroupBy, type Grouping, toGroups, withPrevious } from './groups.ts';
import { listLargestLinks } from './largest-links.ts';
import type { Period } from './periods.ts';
import { type CountsByKey, sumCells } from './read-cells.ts';
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
  const { totals } = now;
  const groups = await readGroups(of, by, now);
  const groupings =
    by.groupBy.length === 0
      ? [firstGroups(null, [], { totals, ...by })]
      : by.groupBy.map((dimension) => firstGroups(dimension, groups(dimension), { totals, ...by }));
  if (before === null || by.groupBy.length === 0) return groupings;
  const shown = groupings.find(({ groupBy }) => groupBy === 'link')?.groups ?? [];
  const links = shown.map(({ key }) => (key === null ? NONE : toValue(key)));
  const earlier = await readGroups(of, by, before, links);
  return groupings.map((grouping) =>
    withPrevious(grouping, grouping.groupBy === null ? [] : earlier(grouping.groupBy), before.totals),
  );
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
  return (dimension) =>
    dimension === 'platform'
      ? [...counted.byPlatform]
          // A link's cells may have events that are only credited to it.
          .filter(([, counts]) => !isEmpty(counts))
          .map(([platform, counts]) => ({ key: platform || null, counts }))
      : groups(dimension);
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
  const column = columnOf(sort, credit);
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
  if (groupBy.includes('campaign')) sums.set('campaign', await sumCampaigns(of, period));
  if (groupBy.includes('link') && linkId === null)
    sums.set(
      'link',
      links === undefined
        ? await sumLargestLinks(of, period, { sort, limit })
        : await sumLinks(of, period, links),
    );
  const groups = groupsOf(sums, of, counted);
  return (dimension) => {
    const key = dimension === only.dimension ? only.value && fromValue(only.value) : linkId;
    const isSole = dimension === only.dimension || (dimension === 'link' && linkId !== null);
    if (!isSole) return groups(dimension);
    return isEmpty(totals) ? [] : [{ key, counts: totals }];
  };
}
