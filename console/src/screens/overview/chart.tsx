import type { StatsInterval } from '@generated/types.gen.ts';
import { useState } from 'react';
import { ChartKey } from '../../components/chart-key.tsx';
import { SeriesChart } from '../../components/series-chart.tsx';
import { formatAmount } from '../../stats/amounts.ts';
import type { Column } from '../../stats/columns.ts';
import { formatPeriod } from '../../stats/period.ts';
import { formatPrevious, intervalNames, isOpen, ticksOf } from '../../stats/time.ts';
import type { OverviewStats } from './use-stats.ts';

interface ChartProps {
  readonly stats: OverviewStats;
  readonly column: Column;
  readonly currency: string | null;
}

export function Chart(props: ChartProps) {
  const { stats, column, currency } = props;
  const { name, unit, digits } = column;
  const [isTable, setTable] = useState(false);
  const title = currency === null ? name : `${name} in ${currency}`;
  const valuesOf = (series: readonly StatsInterval[]) => series.map((point) => valueAt(point, props) ?? 0);
  const before = formatPrevious(stats.previous);
  // A week, a month or an hour may have no counterpart of the same index: periods start anywhere, and clocks change.
  const isPaired = stats.interval === 'day' || stats.previousSeries.length === stats.series.length;
  const previous = isPaired ? stats.previousSeries : [];
  const { from, to } = stats.previous;
  const lastBefore = new Date(Date.parse(`${to.slice(0, 19)}Z`) - 1).toISOString().slice(0, 10);
  const namesBefore = intervalNames(
    { ...stats, from, to: lastBefore, series: previous },
    'up to the same time',
  );
  const names = intervalNames(stats).map((each, index) => [each, namesBefore[index] ?? ''] as const);
  return (
    <figure className="pt-3">
      <figcaption className="meta flex flex-wrap items-center gap-x-5 gap-y-1.5 pb-[22px]">
        <ChartKey line="accent">
          {title}, {formatPeriod(stats)}
        </ChartKey>
        {isPaired && <ChartKey line="dashed">{before}</ChartKey>}
        <button type="button" className="link ml-auto" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as chart' : 'Show as table'}
        </button>
      </figcaption>
      {isTable ? (
        <SeriesTable {...props} previous={previous} names={names.map(([each]) => each)} />
      ) : (
        <SeriesChart
          label={`${title} by ${stats.interval}, ${formatPeriod(stats)}`}
          now={{ name, values: valuesOf(stats.series) }}
          before={isPaired ? { name: before, values: valuesOf(previous) } : null}
          names={names}
          ticks={ticksOf(stats)}
          isOpen={isOpen(stats.series)}
          format={(value) => formatAmount({ value, currency }, unit, digits)}
        />
      )}
    </figure>
  );
}

function valueAt(point: StatsInterval, { column, currency }: ChartProps): number | null {
  const amount = column.amountsOf(point).find((each) => each.currency === currency);
  return amount?.value ?? (column.unit === 'money' ? 0 : null);
}

function SeriesTable({
  previous,
  names,
  ...props
}: ChartProps & { previous: readonly StatsInterval[]; names: readonly string[] }) {
  const { stats, column, currency } = props;
  const format = (point: StatsInterval | undefined) =>
    point === undefined
      ? ''
      : formatAmount({ value: valueAt(point, props), currency }, column.unit, column.digits);
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">When</th>
          <th scope="col" className="num">
            {column.name}
          </th>
          <th scope="col" className="num">
            Before
          </th>
        </tr>
      </thead>
      <tbody>
        {stats.series.map((point, index) => (
          <tr key={point.at}>
            <td>{names[index]}</td>
            <td className="num" data-name={column.name}>
              {format(point)}
            </td>
            <td className="num text-ink-2" data-name="Before">
              {format(previous[index])}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
