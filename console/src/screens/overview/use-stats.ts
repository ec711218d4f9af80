import { readStats } from '@generated/sdk.gen.ts';
import type { ReadStatsData, Stats } from '@generated/types.gen.ts';
import { type Read, useRead } from '../../api/use-read.ts';
import { platformOf } from '../../formats.ts';
import type { Search } from '../../search.ts';
import { type Period, type PeriodSearch, periodOf } from '../../stats/period.ts';

export type OverviewSearch = PeriodSearch &
  Search<'by' | 'metric' | 'shortCode' | 'campaignId' | 'platform' | 'sandbox'>;
type Query = NonNullable<ReadStatsData['query']>;
export type Dimension = NonNullable<Query['groupBy']>;
export type Interval = NonNullable<Query['interval']>;

const GROUPS = 7;

/** The numbers that the address asks for, of another period or by groups if asked. */
export function useStats(
  search: OverviewSearch,
  {
    period = periodOf(search),
    groupBy,
    limit = GROUPS,
  }: { period?: Period; groupBy?: Dimension; limit?: number } = {},
): Read<Stats> {
  const query: Query = {
    ...period,
    interval: intervalOf(search),
    ...filtersOf(search),
    ...(groupBy !== undefined && { groupBy, limit, sort: groupBy === 'method' ? 'installs' : 'clicks' }),
  };
  return useRead(['stats', query], (client, signal) =>
    readStats({ client, query, signal, throwOnError: true }),
  );
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
