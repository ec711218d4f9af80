import type { Stats, StatsGroup } from '@generated/types.gen.ts';
import type { Read } from '../../api/use-read.ts';
import { platformOf } from '../../formats.ts';
import type { Search } from '../../search.ts';
import { type PeriodSearch, periodOf } from '../../stats/period.ts';
import { type StatsQuery, type StatsWith, useStats } from '../../stats/use-stats.ts';

export type OverviewSearch = PeriodSearch &
  Search<'by' | 'metric' | 'shortCode' | 'campaignId' | 'platform' | 'sandbox'>;
export type OverviewStats = StatsWith<'totals' | 'series' | 'previous' | 'previousSeries' | 'groupings'>;
export type Dimension = NonNullable<Stats['groupings']>[number]['groupBy'];
export type Interval = NonNullable<StatsQuery['interval']>;

const GROUPS = 7;
/** The first tab of each list. */
const FIRST: readonly Dimension[] = ['link', 'campaign', 'country', 'method'];

/** All that the page shows first, in one call. */
export function useOverview(search: OverviewSearch): Read<OverviewStats> {
  const query = { ...queryOf(search), groupBy: FIRST.join(','), limit: GROUPS };
  return useStats(query, ['totals', 'series', 'previous', 'previousSeries', 'groupings']);
}

/** The groups of a list: those of the page, or those of another tab, in a call of their own. */
export function useGroups(
  search: OverviewSearch,
  overview: Read<OverviewStats>,
  groupBy: Dimension,
): Read<readonly StatsGroup[]> {
  const isFirst = FIRST.includes(groupBy);
  const own = useStats({ ...queryOf(search), groupBy, limit: GROUPS }, ['groups'], { enabled: !isFirst });
  if (!isFirst) return { ...own, data: own.data?.groups };
  return { ...overview, data: overview.data?.groupings.find((each) => each.groupBy === groupBy)?.groups };
}

export function queryOf(search: OverviewSearch) {
  return { ...periodOf(search), interval: intervalOf(search), ...filtersOf(search) };
}

export function intervalOf({ by }: OverviewSearch): Interval {
  return by === 'hour' || by === 'week' || by === 'month' ? by : 'day';
}

export function filtersOf({ shortCode, campaignId, platform, sandbox }: OverviewSearch) {
  return {
    ...(shortCode !== undefined && { shortCode }),
    ...(campaignId !== undefined && { campaignId }),
    ...platformOf(platform),
    ...(sandbox === 'true' && { sandbox: 'true' as const }),
  };
}
