/** The rows of exports of Overview; loaded with the first one. */
import type { Client } from '@generated/client/index.ts';
import type { StatsGroup } from '@generated/types.gen.ts';
import { askStats } from '../../stats/use-stats.ts';
import { groupTable, seriesTable } from './csv.ts';
import { type DimensionName, dimensionOf, rowName } from './dimensions.ts';
import { columnsOf, type OverviewSearch, queryOf } from './overview-search.ts';
import { hasAnything, rowsOf, shownColumns } from './sort-groups.ts';
import { listQuery } from './use-stats.ts';

export async function readSeries(client: Client, search: OverviewSearch) {
  const stats = await askStats(client, queryOf(search), ['series', 'previousSeries']);
  return seriesTable(stats, columnsOf(search).names);
}

export async function readGroups(client: Client, search: OverviewSearch, name: DimensionName) {
  const { totals, previous, groups, other } = await askStats(client, listQuery(search, name), [
    ...(['totals', 'previous', 'groups', 'other'] as const),
  ]);
  const dimension = dimensionOf(name);
  const columns = shownColumns(search, dimension);
  const nameOf = ({ key, label }: StatsGroup) =>
    key === null ? `(${dimension.none})` : rowName(dimension, key, label);
  return groupTable(
    rowsOf(groups, search, { dimension, whole: { totals, previous, groups } }),
    hasAnything(other, columns) ? other : null,
    { head: dimension.one, nameOf, columns },
  );
}
