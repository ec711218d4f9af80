import type { ReactNode } from 'react';
import { type ColumnName, columnOf } from '../../stats/columns.ts';
import { formatPeriod } from '../../stats/period.ts';
import { formatPrevious } from '../../stats/time.ts';
import type { StatsWith } from '../../stats/use-stats.ts';
import type { DimensionName } from './dimensions.ts';

/** What is compared with what, and where a day begins. */
export function ComparedWith({ stats }: { stats: StatsWith<'previous'> }) {
  return (
    <p className="meta pt-2">
      {formatPeriod(stats)}, compared with {formatPrevious(stats.previous)}. Days of {stats.timezone}.
    </p>
  );
}

/** Below changes of numbers that grow with the age of the installs. */
export function Younger({ names }: { names: readonly ColumnName[] }) {
  const columns = names.map(columnOf).filter(({ isOfCohorts }) => isOfCohorts === true);
  if (columns.length === 0) return null;
  const list = new Intl.ListFormat('en').format(columns.map(({ name }) => name));
  return (
    <p className="meta pt-2">
      {list}: the installs of the period before had more time to pay, so lower numbers may still catch up.
    </p>
  );
}

/** Why a list may have fewer records than a number says. */
export function Kept() {
  return (
    <p className="meta max-w-[92ch] pt-8">
      Numbers keep counting records that were erased or deleted by age. Lists of records show an erased one
      without its personal data, and a deleted one no longer. Lists of one user, source, medium, referrer or
      version leave erased ones out, since they have lost these.
    </p>
  );
}

/** Below a list, where there is something to know. */
export function noteOf(name: DimensionName): ReactNode {
  if (name === 'countries') return <Source />;
  if (name !== 'networks') return null;
  return <p>A claim stands beside the method: an install without a click may have one.</p>;
}

/** As the licence of the data asks. */
function Source() {
  return (
    <p>
      Countries by{' '}
      <a className="link underline" href="https://db-ip.com" rel="noreferrer" target="_blank">
        DB-IP
      </a>
      , CC BY 4.0
    </p>
  );
}
