import type { StatsGroup, StatsMetrics } from '@generated/types.gen.ts';
import { getRouteApi, Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatShare } from '../../formats.ts';
import { type ColumnName, columnOf } from '../../stats/columns.ts';
import { widthsOf } from './column-heads.tsx';
import { type Dimension, type DimensionName, dimensionOf, rowName } from './dimensions.ts';
import { Figure } from './figure.tsx';
import { type Filters, type OverviewSearch, withFilter } from './overview-search.ts';
import { recordsOf } from './records-of.ts';
import { currenciesOf, hasCurrencies, sizeOf, sortColumnOf, type Whole } from './sort-groups.ts';

const route = getRouteApi('/$appId/');

/** Names with bars, each with the figures of the chosen columns. */
export function GroupRows({
  name,
  groups,
  columns,
  search,
  whole,
  isOld,
}: {
  name: DimensionName;
  /** As they are shown. */
  groups: readonly StatsGroup[];
  columns: readonly ColumnName[];
  search: OverviewSearch;
  whole: Whole;
  isOld: boolean;
}) {
  const dimension = dimensionOf(name);
  const by = columnOf(sortColumnOf(search, dimension));
  const [main = null] = hasCurrencies(by) ? currenciesOf(by, whole) : [];
  const largest = Math.max(...groups.map((group) => sizeOf(group, by, main) ?? 0), 0);
  return (
    <ul className="grid grid-cols-1 pt-1.5">
      {groups.map((group) => (
        <li
          key={String(group.key)}
          className={`rank-row rank ${isMuted(group) ? 'rank-muted' : ''} ${columns.length > 2 ? 'rank-many' : ''}`}
          style={{ '--widths': widthsOf(columns) }}
        >
          <Name
            dimension={dimension}
            group={group}
            search={search}
            more={moreOf(dimension, group, whole.totals)}
            share={largest === 0 ? 0 : Math.max(0, sizeOf(group, by, main) ?? 0) / largest}
            isGrey={isOld || isMuted(group)}
          />
          {columns.map((column) => (
            <span
              key={column}
              className={`rank-figure ${columnOf(column).unit === 'money' ? 'rank-money' : ''}`}
              data-name={columnOf(column).name}
            >
              <Figure
                column={columnOf(column)}
                numbers={group}
                before={group.previous}
                order={currenciesOf(columnOf(column), whole)}
                records={recordsOf(column, search, [dimension.filter, group.key])}
              />
            </span>
          ))}
        </li>
      ))}
    </ul>
  );
}

function isMuted({ key }: StatsGroup): boolean {
  return key === null || key === 'ORGANIC';
}

function moreOf({ groupBy, moreOf }: Dimension, { key, installs }: StatsGroup, totals: StatsMetrics) {
  if (groupBy !== 'method' || totals.installs === 0) return null;
  const certainty = key === null ? null : moreOf?.(key);
  return [formatShare(installs / totals.installs), certainty].filter(Boolean).join(', ');
}

function Name({
  dimension,
  group: { key, label },
  search,
  more,
  share,
  isGrey,
}: {
  dimension: Dimension;
  group: StatsGroup;
  search: OverviewSearch;
  more: string | null;
  share: number;
  isGrey: boolean;
}) {
  const name = rowName(dimension, key, label);
  const filter = withFilter(dimension.filter, key);
  return (
    <Narrowing
      filter={filter}
      installId={dimension.filter === null ? key : null}
      search={search}
      title={name}
    >
      <span
        aria-hidden="true"
        className={`rank-bar absolute inset-y-0 left-0 w-(--share) min-w-0.5 rounded-s ${isGrey ? 'bg-line' : 'bg-bar'}`}
        style={{ '--share': `${share * 100}%` }}
      />
      <span className="relative min-w-0 truncate">{name}</span>
      {more !== null && <span className="relative ml-2 min-w-0 truncate text-ink-2">{more}</span>}
      {filter !== null && <span className="rank-action">Only this</span>}
    </Narrowing>
  );
}

/** A name narrows the page down to its row, or leads to an install. */
function Narrowing({
  filter,
  installId,
  search,
  title,
  children,
}: {
  filter: Filters | null;
  installId: string | null;
  search: OverviewSearch;
  title: string;
  children: ReactNode;
}) {
  const { appId } = route.useParams();
  if (installId !== null)
    return (
      <Link
        to="/$appId/installs/$installId"
        params={{ appId, installId }}
        title={installId}
        className="rank-label"
      >
        {children}
      </Link>
    );
  if (filter === null) return <span className="rank-label">{children}</span>;
  return (
    <Link
      to="/$appId"
      params={{ appId }}
      search={{ ...search, ...filter }}
      activeOptions={{ exact: true, includeSearch: true }}
      title={title}
      className="rank-label"
    >
      {children}
    </Link>
  );
}
