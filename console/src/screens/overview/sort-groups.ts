import type { StatsGroup, StatsMetrics } from '@generated/types.gen.ts';
import { mainCurrency } from '../../stats/amounts.ts';
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
}

/** The currency of a column that comes first and that rows are sorted by. */
export function mainOf(column: Column, { totals, previous }: Whole): string | null {
  const { amountsOf } = column.isOfCosts === true ? COLUMNS.cost : column;
  return mainCurrency(amountsOf(totals), amountsOf(previous));
}

/** Largest first; those without a number last. */
function sortGroups(groups: readonly StatsGroup[], column: Column, main: string | null): StatsGroup[] {
  return groups.toSorted((a, b) => sizeOf(b, column, main) - sizeOf(a, column, main));
}

/** The number of a column in the main currency; less than any other where there is none. */
export function sizeOf(numbers: StatsMetrics, { amountsOf }: Column, main: string | null): number {
  const amounts = amountsOf(numbers);
  return amounts.find(({ currency }) => currency === null || currency === main)?.value ?? -1;
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
  return sortGroups(shown, by, mainOf(by, whole));
}

/** Clicks have no value of some dimensions, and costs only one of campaigns. */
export function shownColumns(search: OverviewSearch, dimension: Dimension): ColumnName[] {
  const shown = columnsOf(search).names.filter((name) => hasColumn(dimension, name));
  return shown.length === 0 ? ['installs'] : shown;
}

function hasColumn(
  { isOfInstalls = false, groupBy }: Pick<Dimension, 'isOfInstalls' | 'groupBy'>,
  name: ColumnName,
) {
  if (columnOf(name).isOfCosts === true) return groupBy === 'campaign';
  return name !== 'clicks' || !isOfInstalls;
}
