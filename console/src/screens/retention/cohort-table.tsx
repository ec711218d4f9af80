import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { formatCount, formatShare } from '../../formats.ts';
import { momentsOf } from '../../stats/period.ts';
import { type Cell, LAST_AGE, type Row } from './cohorts.ts';
import type { RecordFilter } from './groups.ts';

const AGES = Array.from({ length: LAST_AGE + 1 }, (_, age) => age);

/** The share as a tint and a number, by day after the install. Scrolls sideways by itself. */
export function CohortTable({
  all,
  rows,
  appId,
  name,
  headOf,
  filterOf,
}: {
  all: Row;
  rows: readonly Row[];
  appId: string;
  /** Of the first column. */
  name: string;
  headOf: (row: Row) => ReactNode;
  /** What narrows the list of installs down to those of the row. */
  filterOf: (row: Row) => RecordFilter;
}) {
  return (
    <section
      aria-label="Retention by day after the install"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it sideways
      tabIndex={0}
      className="relative mt-4 overflow-x-auto border-t border-line"
    >
      <table className="cohorts">
        <thead>
          <tr className="font-normal text-ink-3">
            <th scope="col" className="cohort cohort-name">
              {name}
            </th>
            <th scope="col" className="cohort">
              Installs
            </th>
            {AGES.map((age) => (
              <th key={age} scope="col" aria-label={`Day ${age}`} className="cohort">
                {age}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          <CohortRow row={all} appId={appId} head="All" filter={filterOf(all)} className="font-semibold" />
          {rows.map((row) => (
            <CohortRow key={row.key} row={row} appId={appId} head={headOf(row)} filter={filterOf(row)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function CohortRow({
  row,
  appId,
  head,
  filter,
  className = 'font-normal',
}: {
  row: Row;
  appId: string;
  head: ReactNode;
  filter: RecordFilter;
  className?: string;
}) {
  return (
    <tr className={className}>
      <th scope="row" className="cohort cohort-name">
        {head}
      </th>
      <td className="cohort">
        <Link
          to="/$appId/installs"
          params={{ appId }}
          // Without those who had the app before, who are in no cohort.
          search={{
            ...momentsOf({ from: row.from, to: row.to, timezone: 'UTC' }),
            ...filter,
            ...{ existingUser: 'false' },
          }}
          className="hover:underline"
        >
          {formatCount(row.installs)}
        </Link>
      </td>
      {row.cells.map((cell, age) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a column is an age
        <Share key={age} cell={cell} age={age} />
      ))}
    </tr>
  );
}

function Share({ cell, age }: { cell: Cell | null; age: number }) {
  if (cell === null) return <td className="cohort" />;
  const { active, installs, share, isOpen } = cell;
  const title = `Day ${age}: ${formatCount(active)} of ${formatCount(installs)}${isOpen ? ', so far' : ''}`;
  if (isOpen)
    return (
      <td title={title} className="cohort text-ink-3">
        {formatPercent(share)}
      </td>
    );
  return (
    <td title={title} className="cohort cohort-share" style={{ '--share': share }}>
      {formatPercent(share)}
    </td>
  );
}

/** Without the percent sign, for which 31 columns are too narrow. */
function formatPercent(share: number): string {
  return formatShare(share, 0).replace(/[^\d.,]/g, '');
}
