/** What the address of Overview, and of its whole lists, says. */
import { METHODS, type Method, platformOf } from '../../formats.ts';
import { only, type Search } from '../../search.ts';
import { type ColumnName, chosenColumns, columnOf, isColumn } from '../../stats/columns.ts';
import { fromCampaignKey } from '../../stats/networks.ts';
import { isMonth, lengthOf, PERIOD_PARAMETERS, type PeriodSearch, periodOf } from '../../stats/period.ts';
import type { StatsQuery } from '../../stats/use-stats.ts';

/** Each may stand beside all others. */
const FREE_FILTERS = ['shortCode', 'campaignId', 'platform', 'sandbox'] as const;
/** Statistics take one of these at a time. */
const SINGLE_FILTERS = [
  ...(['country', 'referrer', 'utmSource', 'utmMedium', 'utmCampaign'] as const),
  ...(['method', 'platformVersion', 'appVersion', 'network', 'networkCampaign'] as const),
] as const;
export const FILTERS = [...FREE_FILTERS, ...SINGLE_FILTERS] as const;
export type Filter = (typeof FILTERS)[number];
export type Filters = Search<Filter>;

const OVERVIEW_PARAMETERS = [
  ...PERIOD_PARAMETERS,
  ...FILTERS,
  ...(['by', 'metric', 'currency', 'columns', 'sort'] as const),
] as const;
export type OverviewSearch = PeriodSearch &
  Filters &
  Search<'by' | 'metric' | 'currency' | 'columns' | 'sort'>;

/** What an address says. An empty filter asks for records without a value. */
export function overviewSearchOf(search: Record<string, unknown>): OverviewSearch {
  const empty = SINGLE_FILTERS.filter((name) => search[name] === '');
  return { ...only(...OVERVIEW_PARAMETERS)(search), ...Object.fromEntries(empty.map((name) => [name, ''])) };
}

export type Interval = NonNullable<StatsQuery['interval']>;
const MAX_DAYS_BY_HOUR = 14;

export function queryOf(search: OverviewSearch) {
  return {
    ...periodOf(search),
    interval: intervalOf(search),
    ...(isMonth(search) && { compare: 'month' as const }),
    ...filtersOf(search),
  };
}

export function mayCountHours(search: OverviewSearch): boolean {
  return lengthOf(periodOf(search)) <= MAX_DAYS_BY_HOUR;
}

/** One day by hour, others by day, unless the address says otherwise. */
export function intervalOf(search: OverviewSearch): Interval {
  const { by } = search;
  if (by === 'day' || by === 'week' || by === 'month') return by;
  if (by === 'hour' && mayCountHours(search)) return by;
  return lengthOf(periodOf(search)) === 1 ? 'hour' : 'day';
}

/** As statistics take them. */
function filtersOf(search: Filters) {
  const { platform, sandbox, method, networkCampaign, ...texts } = Object.fromEntries(
    FILTERS.flatMap((name) => (search[name] === undefined ? [] : [[name, search[name]]])),
  ) as Filters;
  const known = ['', ...Object.keys(METHODS)].find((each) => each === method);
  return {
    ...texts,
    ...platformOf(platform),
    ...(known !== undefined && { method: known as Method | '' }),
    ...(sandbox === 'true' && { sandbox: 'true' as const }),
    ...(networkCampaign !== undefined && campaignFilterOf(networkCampaign)),
  };
}

/** @param key empty for none. */
function campaignFilterOf(key: string) {
  const { network, campaignId } = fromCampaignKey(key);
  return key === '' ? { networkCampaign: '' } : { network, networkCampaign: campaignId };
}

export function hasFilters(search: Filters): boolean {
  return FILTERS.some((name) => search[name] !== undefined);
}

/** The filter that statistics take one of, if there is one. */
export function singleFilterOf(search: Filters): Filter | undefined {
  return SINGLE_FILTERS.find((name) => search[name] !== undefined);
}

/**
 * The change of an address that adds a filter. One that cannot stand beside it goes.
 * @param value null for records without one; @returns null where no filter asks for these.
 */
export function withFilter(name: Filter | null, value: string | null): Filters | null {
  if (name === null) return null;
  const isSingle = SINGLE_FILTERS.some((each) => each === name);
  if (value === null) return isSingle ? withFilter(name, '') : null;
  const others = isSingle ? Object.fromEntries(SINGLE_FILTERS.map((each) => [each, undefined])) : {};
  return { ...others, [name]: value };
}

export const NO_FILTERS: Filters = Object.fromEntries(FILTERS.map((name) => [name, undefined]));

/** What lists show, and by which column they are sorted. */
export function columnsOf({ columns, sort }: OverviewSearch) {
  const names = chosenColumns(columns);
  const by: ColumnName = sort !== undefined && isColumn(sort) ? sort : (names[0] ?? 'clicks');
  return { names, by, column: columnOf(by) };
}
