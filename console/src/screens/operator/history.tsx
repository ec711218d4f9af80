import { readHealthHistory } from '@generated/sdk.gen.ts';
import type { HealthHistory, HealthQuarter } from '@generated/types.gen.ts';
import { useState } from 'react';
import { useRead } from '../../api/use-read.ts';
import { Section } from '../../components/page.tsx';
import { Pane } from '../../components/pane.tsx';
import { SeriesChart } from '../../components/series-chart.tsx';
import { Time } from '../../components/time.tsx';
import { formatBytes, formatCount, formatMoment, LOCALE } from '../../formats.ts';

const ASK_EVERY_MS = 60_000;

interface Measure {
  readonly name: string;
  readonly amountOf: (quarter: HealthQuarter) => number | null;
  readonly format: (value: number) => string;
  /** Of all processes, and from before the start of this one, too. */
  readonly isStored?: boolean;
}

const MEASURES: readonly Measure[] = [
  { name: 'Redirects', amountOf: ({ redirects }) => redirects, format: formatCount },
  { name: '95% of redirects end within', amountOf: ({ redirectP95Ms }) => redirectP95Ms, format: formatMs },
  { name: 'Installs', amountOf: ({ installs }) => installs, format: formatCount, isStored: true },
  { name: 'Events', amountOf: ({ events }) => events, format: formatCount, isStored: true },
  { name: 'Server errors (5xx)', amountOf: ({ serverErrors }) => serverErrors, format: formatCount },
  {
    name: 'Failed webhook attempts',
    amountOf: ({ deliveriesFailed }) => deliveriesFailed,
    format: formatCount,
  },
  { name: 'Free disk', amountOf: ({ diskFreeBytes }) => diskFreeBytes, format: formatBytes },
  { name: 'Memory', amountOf: ({ memoryBytes }) => memoryBytes, format: formatBytes },
];

/** The last day as small charts, or as one table. */
export function History() {
  const [isTable, setTable] = useState(false);
  const read = useRead(
    ['health-history'],
    (client, signal) => readHealthHistory({ client, signal, throwOnError: true }),
    { refetchMs: ASK_EVERY_MS },
  );
  return (
    <Section
      title="The last 24 hours"
      aside={
        <button type="button" className="link" onClick={() => setTable(!isTable)}>
          {isTable ? 'Show as charts' : 'Show as table'}
        </button>
      }
    >
      <Pane read={read} rows={8}>
        {(history) => (
          <>
            <p className="meta max-w-[92ch] pt-2">
              By quarter hour. Installs and events are those of all processes. Everything else is of the
              process that answers, since its start (<Time at={history.startedAt} seconds={false} />
              ): a restart begins anew.
            </p>
            {isTable ? <QuarterTable {...history} /> : <Charts {...history} />}
          </>
        )}
      </Pane>
    </Section>
  );
}

function Charts({ quarters }: HealthHistory) {
  const began = quarters.findIndex(({ memoryBytes }) => memoryBytes !== null);
  return (
    <div className="grid grid-cols-2 gap-x-12 max-phone:grid-cols-1">
      {MEASURES.map((measure) => (
        <Chart
          key={measure.name}
          measure={measure}
          quarters={measure.isStored === true ? quarters : quarters.slice(Math.max(0, began))}
        />
      ))}
    </div>
  );
}

function Chart({
  measure: { name, amountOf, format },
  quarters,
}: {
  measure: Measure;
  quarters: readonly HealthQuarter[];
}) {
  const values = quarters.map((quarter) => amountOf(quarter) ?? 0);
  return (
    <figure className="min-w-0 pt-4">
      <figcaption className="flex flex-wrap justify-between gap-x-4 pb-5">
        <span className="text-ink-2">{name}</span>
        <b>{format(values.at(-1) ?? 0)}</b>
      </figcaption>
      <SeriesChart
        label={`${name} by quarter hour, the last ${formatCount(Math.ceil(quarters.length / 4))} hours`}
        now={{ name, values }}
        before={null}
        names={quarters.map(({ at }) => [formatMoment(at, { seconds: false }), ''] as const)}
        ticks={ticksOf(quarters)}
        isOpen
        format={format}
        className="h-[76px]"
      />
    </figure>
  );
}

/** The begin, the middle and now, as far as they do not touch. */
function ticksOf(quarters: readonly HealthQuarter[]): (readonly [index: number, text: string])[] {
  const last = quarters.length - 1;
  const at = (index: number) => [index, formatMoment(quarters[index]?.at ?? '', { seconds: false })] as const;
  if (last < 1) return [[0, 'Now']];
  const middle = last < 8 ? [] : [at(Math.round(last / 2))];
  return [at(0), ...middle, [last, 'Now']];
}

function QuarterTable({ quarters }: HealthHistory) {
  const format = ({ amountOf, format: of }: Measure, quarter: HealthQuarter) => {
    const value = amountOf(quarter);
    return value === null ? '' : of(value);
  };
  return (
    <table className="table">
      <thead>
        <tr>
          <th scope="col">From</th>
          {MEASURES.map(({ name }) => (
            <th key={name} scope="col" className="num">
              {name}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {quarters.toReversed().map((quarter, index) => (
          <tr key={quarter.at}>
            <td>
              {formatMoment(quarter.at, { seconds: false })}
              {index === 0 && ', so far'}
            </td>
            {MEASURES.map((measure) => (
              <td key={measure.name} className="num" data-name={measure.name}>
                {format(measure, quarter)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function formatMs(ms: number): string {
  return new Intl.NumberFormat(LOCALE, {
    style: 'unit',
    unit: 'millisecond',
    maximumFractionDigits: 1,
  }).format(ms);
}
