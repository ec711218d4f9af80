import type { StatsGroup, StatsMetrics } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { type ColumnName, columnOf } from '../../stats/columns.ts';
import { ColumnHead } from './column-heads.tsx';
import { type Dimension, type DimensionName, dimensionOf, rowName } from './dimensions.ts';
import { Figure } from './figure.tsx';
import { type OverviewSearch, withFilter } from './overview-search.ts';
import { type Records, recordsOf } from './records-of.ts';
import { currenciesOf, hasAnything, shownColumns } from './sort-groups.ts';
import type { ListStats } from './use-stats.ts';

const route = getRouteApi('/$appId/lists/$list');

/** All rows of a list, what is left beyond them, and the sum. */
export function ListTable({
  name,
  groups,
  by,
  stats,
  search,
  isWhole,
}: {
  name: DimensionName;
  groups: readonly StatsGroup[];
  by: ColumnName;
  stats: ListStats;
  search: OverviewSearch;
  /** Whether all rows are shown, so that the sum belongs below. */
  isWhole: boolean;
}) {
  const dimension = dimensionOf(name);
  const columns = shownColumns(search, dimension);
  const common = { columns, stats };
  return (
    <table className="table table-figures mt-2">
      <thead>
        <tr>
          <th scope="col">{dimension.one}</th>
          {columns.map((column) => (
            <th key={column} scope="col" className="num" aria-sort={column === by ? 'descending' : undefined}>
              <ColumnHead name={column} by={by} whole={stats} to="." search={search} />
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {groups.map((group) => (
          <Row
            key={String(group.key)}
            head={<RowHead dimension={dimension} group={group} search={search} />}
            numbers={group}
            before={group.previous}
            recordsOf={(column) => recordsOf(column, search, [dimension.filter, group.key])}
            {...common}
          />
        ))}
        {isWhole && hasAnything(stats.other, columns) && (
          <Row
            head={<span className="text-ink-3">Other</span>}
            numbers={stats.other}
            before={stats.other.previous}
            {...common}
          />
        )}
        {isWhole && (
          <Row
            head={<b>All</b>}
            numbers={stats.totals}
            before={stats.previous}
            recordsOf={(column) => recordsOf(column, search)}
            {...common}
          />
        )}
      </tbody>
    </table>
  );
}

function RowHead({
  dimension,
  group: { key: groupKey, label },
  search,
}: {
  dimension: Dimension;
  group: StatsGroup;
  search: OverviewSearch;
}) {
  const { appId } = route.useParams();
  const name = rowName(dimension, groupKey, label);
  const { q: _, ...overview } = search as OverviewSearch & { q?: string };
  const filter = withFilter(dimension.filter, groupKey);
  if (dimension.filter === null && groupKey !== null)
    return (
      <Link
        to="/$appId/installs/$installId"
        params={{ appId, installId: groupKey }}
        title={groupKey}
        className="link"
      >
        {name}
      </Link>
    );
  if (filter === null) return <span className="text-ink-3">{name}</span>;
  return (
    <Link
      to="/$appId"
      params={{ appId }}
      search={{ ...overview, ...filter }}
      title={`Overview of ${name} only`}
      className={`wrap-anywhere ${groupKey === null ? 'text-ink-3 hover:underline' : 'link'}`}
    >
      {name}
    </Link>
  );
}

function Row({
  head,
  numbers,
  before,
  columns,
  stats,
  recordsOf = () => null,
}: {
  head: ReactNode;
  numbers: StatsMetrics;
  before: StatsMetrics | undefined;
  columns: readonly ColumnName[];
  stats: ListStats;
  recordsOf?: (column: ColumnName) => Records | null;
}) {
  return (
    <tr>
      <th scope="row">{head}</th>
      {columns.map((name) => (
        <td key={name} className="num" data-name={columnOf(name).name}>
          <div>
            <Figure
              column={columnOf(name)}
              numbers={numbers}
              before={before}
              order={currenciesOf(columnOf(name), stats)}
              records={recordsOf(name)}
              isLong
            />
          </div>
        </td>
      ))}
    </tr>
  );
}
