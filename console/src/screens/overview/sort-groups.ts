import type { StatsGroup, StatsMetrics } from '@generated/types.gen.ts';
import { rankCurrencies } from '../../stats/amounts.ts';
import { COLUMNS, type Column, type ColumnName, columnOf } from '../../stats/columns.ts';
import type { Dimension } from './dimensions.ts';
import { columnsOf, type OverviewSearch } from './overview-search.ts';

/** The column that a list is sorted by; one that it has. */
export function sortColumnOf(search: OverviewSearch, dimension: Dimension): ColumnName {
  const { by } = columnsOf(search);
  return hasColumn(dimension, by) ? by : (shownColumns(search, dimension)[0] ?? 'installs');
}

export interface Whole {
  readonly totals: StatsMetrics;
  readonly previous: StatsMetrics;
  /** By which currencies are ranked. */
  readonly groups: readonly StatsGroup[];
}

/** The currencies of a column: the most common one comes first, and rows are sorted by it. */
export function currenciesOf(column: Column, { totals, previous, groups }: Whole): string[] {
  const { amountsOf } = column.isOfCosts === true ? COLUMNS.cost : column;
  const rank = (all: readonly StatsMetrics[], sum: StatsMetrics) =>
    rankCurrencies(
      all.map((each) => ({ amounts: amountsOf(each), payingInstalls: each.payingInstalls })),
      amountsOf(sum),
    );
  const before = groups.flatMap((group) => group.previous ?? []);
  return [...new Set([...rank(groups, totals), ...rank(before, previous)])];
}

/** Whether it is a list with an entry for each currency. */
export function hasCurrencies({ unit }: Column): boolean {
  return unit === 'money' || unit === 'ratio';
}

/**
 * Largest first, in the first currency, then in the next ones. Records without a value of the dimension, which are no
 * answer to what was largest, come last.
 */
function sortGroups(groups: readonly StatsGroup[], column: Column, order: readonly string[]): StatsGroup[] {
  const places = hasCurrencies(column) ? order : [null];
  const least = column.unit === 'money' && column.isOfCosts !== true ? 0 : Number.NEGATIVE_INFINITY;
  const sizes = new Map(
    groups.map((group) => [group, places.map((currency) => sizeOf(group, column, currency) ?? least)]),
  );
  return groups.toSorted((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    const [left = [], right = []] = [sizes.get(a), sizes.get(b)];
    const place = left.findIndex((size, index) => size !== right[index]);
    return place === -1 ? 0 : (left[place] ?? least) > (right[place] ?? least) ? -1 : 1;
  });
}

/** The number of a column in a currency. */
export function sizeOf(
  numbers: StatsMetrics,
  { amountsOf }: Column,
  currency: string | null,
): number | undefined {
  return amountsOf(numbers).find((amount) => amount.currency === currency)?.value;
}

/** Whether a column has more than zero, now or before. */
export function hasAnything(
  numbers: StatsMetrics & { readonly previous?: StatsMetrics },
  columns: readonly ColumnName[],
): boolean {
  return columns.some((name) => {
    const { amountsOf } = columnOf(name);
    const before = numbers.previous === undefined ? [] : amountsOf(numbers.previous);
    return [...amountsOf(numbers), ...before].some(({ value }) => value !== 0);
  });
}

/** The rows that a list shows, in its order. */
export function rowsOf(
  groups: readonly StatsGroup[],
  search: OverviewSearch,
  { dimension, whole }: { dimension: Dimension; whole: Whole },
): StatsGroup[] {
  const columns = shownColumns(search, dimension);
  const by = columnOf(sortColumnOf(search, dimension));
  const shown = groups.filter((group) => hasAnything(group, columns));
  return sortGroups(shown, by, currenciesOf(by, whole));
}

/** Clicks have no value of some dimensions, and costs only one of campaigns and networks. */
export function shownColumns(search: OverviewSearch, dimension: Dimension): ColumnName[] {
  const shown = columnsOf(search).names.filter((name) => hasColumn(dimension, name));
  return shown.length === 0 ? ['installs'] : shown;
}

function hasColumn(
  { isOfInstalls = false, groupBy }: Pick<Dimension, 'isOfInstalls' | 'groupBy'>,
  name: ColumnName,
) {
  if (columnOf(name).isOfCosts === true) return ['campaign', 'network', 'networkCampaign'].includes(groupBy);
  return name !== 'clicks' || !isOfInstalls;
}
