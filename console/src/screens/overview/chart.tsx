import type { StatsInterval } from '@generated/types.gen.ts';
import { useState } from 'react';
import { SeriesChart } from '../../components/series-chart.tsx';
import { formatDay, formatMoment } from '../../formats.ts';
import { formatMetric, METRIC_NAMES, type Metric, metricOf } from '../../stats/metrics.ts';
import { formatPeriod, periodBefore, todayIn } from '../../stats/period.ts';
import type { OverviewStats } from './use-stats.ts';

interface ChartProps {
  readonly stats: OverviewStats;
  readonly metric: Metric;
  readonly currency: string | null;
}

export function Chart(props: ChartProps) {
  const { stats, metric, currency } = props;
  const [isTable, setTable] = useState(false);
  const valuesOf = (series: readonly StatsInterval[]) =>
    series.map((point) => metricOf(point, metric, currency) ?? 0);
  const before = formatPeriod(periodBefore(stats));
  const isOpen = stats.to >= todayIn(stats.timezone);
  // Months and days with a clock change have other intervals than those before, which no index pairs.
  const previous = stats.previousSeries.length === stats.series.length ? stats.previousSeries : [];
  const names = stats.series.map(({ at }, index) => {
    const then = previous[index]?.at;
    return [nameOf(at, stats, true), then === undefined ? '' : nameOf(then, stats, false)] as const;
  });
  return (
    <figure className="pt-3">
      <figcaption className="meta flex flex-wrap items-center gap-x-5 gap-y-1.5 pb-[22px]">
        <span>
          <Key className="border-t-2 border-accent" />
          {METRIC_NAMES[metric]}, {formatPeriod(stats)}
        </span>
        <span>
          <Key className="border-t-2 border-dashed border-mute" />
          {before}
        </span>
        <button type="button" className="link ml-auto" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? (
        <SeriesTable {...props} stats={{ ...stats, previousSeries: previous }} names={names} />
      ) : (
        <SeriesChart
          label={`${METRIC_NAMES[metric]} by ${stats.interval}, ${formatPeriod(stats)}`}
          now={{ name: METRIC_NAMES[metric], values: valuesOf(stats.series) }}
          before={{ name: before, values: valuesOf(previous) }}
          names={names}
          ticks={ticksOf(stats, isOpen)}
          isOpen={isOpen}
          format={(value) => formatMetric(value, metric, currency)}
        />
      )}
    </figure>
  );
}

function Key({ className }: { className: string }) {
  return <span aria-hidden="true" className={`mr-1.5 inline-block w-4 align-[3px] ${className}`} />;
}

function SeriesTable({
  stats,
  metric,
  currency,
  names,
}: ChartProps & { names: readonly (readonly [string, string])[] }) {
  const format = (point: StatsInterval | undefined) =>
    point === undefined ? '' : formatMetric(metricOf(point, metric, currency), metric, currency);
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col" className="num">
            {METRIC_NAMES[metric]}
          </th>
          <th scope="col" className="num">
            Before
          </th>
        </tr>
      </thead>
      <tbody>
        {stats.series.map((point, index) => (
          <tr key={point.at}>
            <td>{names[index]?.[0]}</td>
            <td className="num" data-name={METRIC_NAMES[metric]}>
              {format(point)}
            </td>
            <td className="num text-ink-2" data-name="Before">
              {format(stats.previousSeries[index])}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** `at` is the local time of the statistics' zone, with its offset. */
function nameOf(at: string, { interval }: OverviewStats, isLong: boolean): string {
  if (interval === 'hour') return formatMoment(at, { seconds: false });
  if (interval === 'month') return formatDay(at, { month: 'long', year: 'numeric' });
  return formatDay(at, { day: 'numeric', month: 'short', ...(isLong && { weekday: 'short' }) });
}

const TICKS = 4;

function ticksOf({ series, interval }: OverviewStats, isOpen: boolean): (readonly [number, string])[] {
  const last = series.length - 1;
  if (last < 1) return series.map(({ at }, index) => [index, formatDay(at)]);
  // Whole weeks apart where days are counted, so that ticks share a weekday.
  const exact = last / TICKS;
  const step = Math.max(1, interval === 'day' && last >= 14 ? Math.ceil(exact / 7) * 7 : Math.round(exact));
  const ticks = series.flatMap(({ at }, index) =>
    index % step === 0 && index < last - step / 2 ? [[index, formatDay(at)] as const] : [],
  );
  const unit = { hour: 'This hour', day: 'Today', week: 'This week', month: 'This month' }[interval];
  const end = series[last]?.at ?? '';
  return [...ticks, [last, isOpen ? `${unit}, so far` : formatDay(end)] as const];
}
