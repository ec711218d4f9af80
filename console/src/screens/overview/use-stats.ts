import type { StatsGroup, StatsOther } from '@generated/types.gen.ts';
import type { Read } from '../../api/use-read.ts';
import { type ColumnName, columnOf } from '../../stats/columns.ts';
import { type StatsWith, useStats } from '../../stats/use-stats.ts';
import { DIMENSIONS, type DimensionName, dimensionOf, isCounted } from './dimensions.ts';
import { columnsOf, type OverviewSearch, queryOf } from './overview-search.ts';
import { sortColumnOf } from './sort-groups.ts';

export type OverviewStats = StatsWith<'totals' | 'series' | 'previous' | 'previousSeries' | 'groupings'>;

export type ListStats = StatsWith<'totals' | 'previous' | 'groups' | 'other'>;

/** The groups of a list, largest first, and what is left. */
export interface Groups {
  readonly groups: readonly StatsGroup[];
  readonly other: StatsOther;
}

/** Rows of a list on the page. */
export const SHOWN = 7;
/** As many as the service answers. */
export const MAX_GROUPS = 100;

/** What the first tab of each list shows. */
const FIRST: readonly DimensionName[] = ['links', 'campaigns', 'countries', 'methods'];

/** All that the page shows first, in one call. */
export function useOverview(search: OverviewSearch): Read<OverviewStats> {
  const groupBy = FIRST.map(dimensionOf)
    .filter((dimension) => isCounted(dimension, search))
    .map((dimension) => dimension.groupBy)
    .join(',');
  const query = { ...queryOf(search), ...orderOf(columnsOf(search).by), groupBy };
  return useStats(query, ['totals', 'series', 'previous', 'previousSeries', 'groupings']);
}

/** The groups of a list: those of the page, or those of another tab, in a call of their own. */
export function useGroups(
  search: OverviewSearch,
  overview: Read<OverviewStats>,
  name: DimensionName,
): Read<Groups> {
  const { groupBy } = DIMENSIONS[name];
  const isFirst = FIRST.includes(name);
  const enabled = !isFirst && isCounted(dimensionOf(name), search);
  const query = { ...queryOf(search), ...orderOf(sortColumnOf(search, dimensionOf(name))), groupBy };
  const own = useStats(query, ['groups', 'other', 'previous'], { enabled });
  if (!isFirst) return own;
  return { ...overview, data: overview.data?.groupings.find((each) => each.groupBy === groupBy) };
}

/** A whole list, with what is left beyond `MAX_GROUPS`. */
export function useList(search: OverviewSearch, name: DimensionName): Read<ListStats> {
  return useStats(listQuery(search, name), ['totals', 'previous', 'groups', 'other'], {
    enabled: isCounted(dimensionOf(name), search),
  });
}

export function listQuery(search: OverviewSearch, name: DimensionName) {
  const { interval: _, ...query } = queryOf(search);
  const { sort } = columnOf(sortColumnOf(search, dimensionOf(name)));
  return { ...query, sort, limit: MAX_GROUPS, groupBy: DIMENSIONS[name].groupBy };
}

/** A column that only the page can sort by needs all groups. */
function orderOf(name: ColumnName) {
  const { sort, isLocal = false } = columnOf(name);
  return { sort, limit: isLocal ? MAX_GROUPS : SHOWN };
}
