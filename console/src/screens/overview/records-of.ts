/** Which list has exactly the records that a number counts. */
import type { ColumnName } from '../../stats/columns.ts';
import { momentsOf, periodOf } from '../../stats/period.ts';
import { FILTERS, type Filter, type Filters, type OverviewSearch } from './overview-search.ts';

type ListPath = '/$appId/clicks' | '/$appId/installs' | '/$appId/opens' | '/$appId/events';

export interface Records {
  readonly to: ListPath;
  /** As the service takes it; a list of values is a parameter that is repeated. */
  readonly search: Readonly<Record<string, string | readonly string[]>>;
}

const OF_ALL: readonly Filter[] = [
  ...(['shortCode', 'campaignId', 'platform', 'sandbox', 'country'] as const),
  ...(['referrer', 'utmSource', 'utmMedium', 'utmCampaign'] as const),
];
const VERSIONS: readonly Filter[] = ['platformVersion', 'appVersion'];
const TAKES: Readonly<Record<ListPath, readonly Filter[]>> = {
  '/$appId/clicks': OF_ALL,
  '/$appId/installs': [...OF_ALL, ...VERSIONS, 'method'],
  '/$appId/opens': [...OF_ALL, ...VERSIONS, 'method'],
  '/$appId/events': [...OF_ALL, ...VERSIONS],
};

const ATTRIBUTED = ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT'];
/** Without those who had the app before, whom statistics count apart. */
const NEW = { existingUser: 'false' };

/** Sums over installs, and what is divided, have no list of their own. */
const LISTS: Partial<Readonly<Record<ColumnName, Records>>> = {
  clicks: { to: '/$appId/clicks', search: {} },
  installs: { to: '/$appId/installs', search: NEW },
  attributed: { to: '/$appId/installs', search: { method: ATTRIBUTED } },
  payingInstalls: { to: '/$appId/installs', search: { ...NEW, hasRevenue: 'true' } },
  opens: { to: '/$appId/opens', search: {} },
  events: { to: '/$appId/events', search: {} },
  revenue: { to: '/$appId/events', search: { hasRevenue: 'true' } },
};

/**
 * @param row the filter of a row and its value; null for its records without one.
 * @returns null where no list counts the same.
 */
export function recordsOf(
  column: ColumnName,
  search: OverviewSearch,
  row: readonly [Filter | null, string | null] | null = null,
): Records | null {
  const list = LISTS[column];
  if (list === undefined || row?.[0] === null) return null;
  const filters: Filters = { ...search, ...(row !== null && { [String(row[0])]: row[1] ?? '' }) };
  const named = FILTERS.filter((name) => filters[name] !== undefined);
  if (named.some((name) => !TAKES[list.to].includes(name))) return null;
  // Only opens are direct.
  if (filters.method === 'DIRECT' && column !== 'opens') return null;
  // The attributed of one method are its installs, or none.
  if (column === 'attributed' && filters.method !== undefined) return null;
  return {
    to: list.to,
    search: {
      ...momentsOf(periodOf(search)),
      ...list.search,
      ...Object.fromEntries(named.map((name) => [name, filters[name] ?? ''])),
    },
  };
}
