import { Link, useParams } from '@tanstack/react-router';
import { type ColumnName, columnOf } from '../../stats/columns.ts';
import type { OverviewSearch } from './overview-search.ts';
import { currenciesOf, hasCurrencies, type Whole } from './sort-groups.ts';

/** The name of a column, which sorts by it. */
export function ColumnHead({
  name,
  by,
  whole,
  to,
  search,
}: {
  name: ColumnName;
  /** The column that the list is sorted by. */
  by: ColumnName;
  /** Null while it is read. */
  whole: Whole | null;
  to: '/$appId' | '.';
  search: OverviewSearch;
}) {
  const { appId } = useParams({ from: '/$appId' });
  const { name: words, help } = columnOf(name);
  const isChosen = name === by;
  const [first, second] = whole === null || !isChosen ? [] : currenciesOf(columnOf(name), whole);
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
      {second !== undefined && hasCurrencies(columnOf(name)) && `, ${first} first`}
      <span className="sr-only">{isChosen ? ', largest first' : ', sort'}</span>
    </Link>
  );
}

/** Of the grid: money has its change beside it. */
export function widthsOf(columns: readonly ColumnName[]): string {
  return columns.map((name) => (columnOf(name).unit === 'money' ? 'var(--money)' : 'var(--count)')).join(' ');
}

/** Lists are beside each other, and names of columns in the head of their list, up to this many. */
export const MAX_COLUMNS_OF_HALVES = 4;

/** Above the columns of figures. */
export function ColumnHeads({
  columns,
  by,
  whole,
  search,
}: {
  columns: readonly ColumnName[];
  by: ColumnName;
  whole: Whole | null;
  search: OverviewSearch;
}) {
  return (
    <div
      className={`meta rank-heads ${columns.length > MAX_COLUMNS_OF_HALVES ? 'rank-heads-within' : ''}`}
      style={{ '--widths': widthsOf(columns) }}
    >
      {columns.map((name) => (
        <ColumnHead key={name} name={name} by={by} whole={whole} to="/$appId" search={search} />
      ))}
    </div>
  );
}
