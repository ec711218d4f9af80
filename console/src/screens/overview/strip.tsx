import { getRouteApi, Link, type LinkProps } from '@tanstack/react-router';
import { Mark } from '../../components/mark.tsx';
import { formatMoney } from '../../formats.ts';
import {
  formatChange,
  formatMetric,
  METRIC_MARKS,
  METRIC_NAMES,
  METRICS,
  type Metric,
  metricOf,
} from '../../stats/metrics.ts';
import { momentsOf, periodOf } from '../../stats/period.ts';
import { filtersOf, type OverviewSearch, type OverviewStats } from './use-stats.ts';

const route = getRouteApi('/$appId/');

const RECORDS = {
  clicks: '/$appId/clicks',
  installs: '/$appId/installs',
  attributed: '/$appId/installs',
  opens: '/$appId/opens',
  events: '/$appId/events',
  revenue: '/$appId/events',
} as const satisfies Record<Metric, LinkProps['to']>;

const EXACT = { exact: true, includeSearch: true };

interface StripProps {
  readonly stats: OverviewStats;
  readonly metric: Metric;
  readonly currency: string | null;
  readonly search: OverviewSearch;
}

/** The totals; the name of one picks the chart, its number opens the records. */
export function Strip(props: StripProps) {
  return (
    <section
      aria-label="Totals"
      className="mt-4 grid grid-cols-6 border-t border-line max-wide:grid-cols-3 max-phone:grid-cols-2"
    >
      {METRICS.map((name) => (
        <Cell key={name} name={name} {...props} />
      ))}
    </section>
  );
}

function Cell({ name, stats, metric, currency, search }: StripProps & { name: Metric }) {
  const { appId } = route.useParams();
  const isChosen = name === metric;
  const mark = METRIC_MARKS[name];
  const now = metricOf(stats.totals, name, currency);
  const before = metricOf(stats.previous, name, currency);
  const change = formatChange(now, before, name);
  const others = name === 'revenue' ? stats.totals.revenue.filter((sum) => sum.currency !== currency) : [];
  return (
    <div className="strip-cell">
      {isChosen && <span aria-hidden="true" className="strip-chosen" />}
      <Link
        to="/$appId"
        params={{ appId }}
        search={{ ...search, metric: name }}
        replace
        activeOptions={EXACT}
        aria-current={isChosen ? 'true' : undefined}
        className={`flex w-fit items-center gap-1.5 leading-4 hover:text-accent ${isChosen ? 'font-semibold text-accent' : 'text-ink-2'}`}
      >
        {mark !== undefined && <Mark kind={mark} />}
        {METRIC_NAMES[name]}
      </Link>
      <Link
        to={RECORDS[name]}
        params={{ appId }}
        search={{ ...momentsOf(periodOf(search)), ...filtersOf(search) }}
        className="w-fit text-figure font-semibold tracking-[-.02em] whitespace-nowrap decoration-1 underline-offset-4 hover:underline"
      >
        {formatMetric(now, name, currency)}
      </Link>
      <span className="meta">
        {change === null ? (
          'nothing before'
        ) : (
          <>
            <Direction direction={change.direction} /> <span className="text-ink">{change.text}</span> from{' '}
            {formatMetric(before, name, currency)}
          </>
        )}
        {others.map((sum) => (
          <span key={sum.currency} className="block">
            and {formatMoney(sum, 0)}
          </span>
        ))}
      </span>
    </div>
  );
}

function Direction({ direction }: { direction: 'up' | 'down' | 'same' }) {
  const [sign, word] = { up: ['↗', 'up'], down: ['↘', 'down'], same: ['→', 'unchanged'] }[direction];
  return (
    <span className="text-ink">
      <span aria-hidden="true">{sign}</span>
      <span className="sr-only">{word}</span>
    </span>
  );
}
