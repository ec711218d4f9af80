import { formatPeriod } from '../../stats/period.ts';
import { formatPrevious } from '../../stats/time.ts';
import type { StatsWith } from '../../stats/use-stats.ts';

/** What is compared with what, and where a day begins. */
export function ComparedWith({ stats }: { stats: StatsWith<'previous'> }) {
  return (
    <p className="meta pt-2">
      {formatPeriod(stats)}, compared with {formatPrevious(stats.previous)}. Days of {stats.timezone}.
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
