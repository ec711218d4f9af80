import { Link, useParams } from '@tanstack/react-router';
import { type ColumnName, columnOf } from '../../stats/columns.ts';
import type { OverviewSearch } from './overview-search.ts';

/** The name of a column, which sorts by it. */
export function ColumnHead({
  name,
  by,
  to,
  search,
}: {
  name: ColumnName;
  /** The column that the list is sorted by. */
  by: ColumnName;
  to: '/$appId' | '.';
  search: OverviewSearch;
}) {
  const { appId } = useParams({ from: '/$appId' });
  const { name: words, help } = columnOf(name);
  const isChosen = name === by;
  return (
    <Link
      to={to}
      params={{ appId }}
      search={{ ...search, sort: name }}
      replace
      resetScroll={false}
      activeOptions={{ exact: true, includeSearch: true }}
      aria-current={isChosen ? 'true' : undefined}
      title={help}
      className={`hover:text-ink ${isChosen ? 'sorted text-ink' : ''}`}
    >
      {words}
      <span className="sr-only">{isChosen ? ', largest first' : ', sort'}</span>
    </Link>
  );
}

/** Of the grid: money has its change beside it. */
export function widthsOf(columns: readonly ColumnName[]): string {
  return columns.map((name) => (columnOf(name).unit === 'money' ? 'var(--money)' : 'var(--count)')).join(' ');
}

/** Above the columns of figures. */
export function ColumnHeads({
  columns,
  by,
  search,
}: {
  columns: readonly ColumnName[];
  by: ColumnName;
  search: OverviewSearch;
}) {
  return (
    <div className="meta rank-heads" style={{ '--widths': widthsOf(columns) }}>
      {columns.map((name) => (
        <ColumnHead key={name} name={name} by={by} to="/$appId" search={search} />
      ))}
    </div>
  );
}
