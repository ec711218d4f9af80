import { Link } from '@tanstack/react-router';
import { Empty } from '../components/page.tsx';
import { formatPeriod, type Period, type PeriodSearch, periodOf, unreadOf } from './period.ts';

/** That an address asks for days or a zone that do not exist, and what is shown in their place. */
export function Unread({ search }: { search: PeriodSearch }) {
  const faults = unreadOf(search);
  if (faults === null) return null;
  const period = periodOf(search);
  return (
    <div className="note mt-2" role="status">
      <b>Not what the address asks for</b>
      <p className="wrap-anywhere">
        The address is not valid: {faults}. Shown: {formatPeriod(period)}, days of {period.timezone}.
      </p>
    </div>
  );
}

/** In place of the numbers of days that have not begun. */
export function NotYet<S extends PeriodSearch>({ period, search }: { period: Period; search: S }) {
  return (
    <Empty title="These days have not come yet">
      <p className="text-ink-2">
        {formatPeriod(period)}, days of {period.timezone}.
      </p>
      <Link to="." search={{ ...search, from: undefined, to: undefined }} className="btn">
        Last 28 days
      </Link>
    </Empty>
  );
}
