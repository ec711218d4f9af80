import type { AccuracyPoint, AccuracyShare } from '@generated/types.gen.ts';
import { formatShare } from '../../formats.ts';

interface ThresholdChartProps {
  readonly name: string;
  readonly label: string;
  readonly points: readonly AccuracyPoint[];
  /** Null where there is none. */
  readonly intervalOf: (point: AccuracyPoint) => AccuracyShare | null;
  readonly chosen: number;
}

const TICKS = [0.5, 0.6, 0.7, 0.8, 0.9];

/** A share by threshold, with its interval as a band. The slider below moves the line. */
export function ThresholdChart({ name, label, points, intervalOf, chosen }: ThresholdChartProps) {
  const drawn = points.flatMap((point) => {
    const interval = intervalOf(point);
    return interval === null ? [] : [{ threshold: point.threshold, ...interval }];
  });
  const floor = floorOf(drawn.map(({ low }) => low));
  const x = (threshold: number) => ((threshold - 0.5) / 0.49) * 1_000;
  const y = (share: number) => 100 - ((share - floor) / (1 - floor)) * 100;
  const path = (values: readonly (readonly [number, number])[]) =>
    values
      .map(([at, share], index) => `${index === 0 ? 'M' : 'L'}${x(at).toFixed(1)} ${y(share).toFixed(2)}`)
      .join('');
  const band = [
    ...drawn.map(({ threshold, high }) => [threshold, high] as const),
    ...drawn.toReversed().map(({ threshold, low }) => [threshold, low] as const),
  ];
  const steps = [floor, (floor + 1) / 2, 1];
  const here = drawn.find(({ threshold }) => threshold === chosen);
  return (
    <figure className="grid grid-cols-[minmax(0,1fr)_48px] gap-x-2 pt-5">
      <figcaption className="meta col-span-2 pb-2">{name}</figcaption>
      <div className="relative h-[150px]" role="img" aria-label={`${label}. ${textOf(drawn)}`}>
        <svg
          viewBox="0 0 1000 100"
          preserveAspectRatio="none"
          className="size-full overflow-visible"
          aria-hidden="true"
        >
          {steps.map((step) => (
            <path key={step} d={`M0 ${y(step)}H1000`} className="plot stroke-line" />
          ))}
          {drawn.length > 0 && <path d={`${path(band)}Z`} className="fill-accent [fill-opacity:.14]" />}
          <path
            d={path(drawn.map(({ threshold, value }) => [threshold, value]))}
            className="plot stroke-accent [stroke-width:2]"
          />
          <path d={`M${x(chosen)} 0V100`} className="plot stroke-line-strong" />
        </svg>
        {here !== undefined && (
          <span
            className="absolute -mb-[4.5px] -ml-[4.5px] size-[9px] rounded-full bg-accent shadow-[0_0_0_2px_var(--color-surface)]"
            style={{ left: `${x(chosen) / 10}%`, bottom: `${100 - y(here.value)}%` }}
          />
        )}
      </div>
      {/* Beside the band, where they can be read. */}
      <div className="meta relative" aria-hidden="true">
        {steps.map((step) => (
          <span key={step} className="absolute translate-y-1/2" style={{ bottom: `${100 - y(step)}%` }}>
            {formatShare(step, Number.isInteger(step * 100) ? 0 : 1)}
          </span>
        ))}
      </div>
      <div className="meta relative mt-2 h-4" aria-hidden="true">
        {TICKS.map((tick) => (
          <span
            key={tick}
            className={`absolute ${tick === 0.5 ? '' : '-translate-x-1/2'}`}
            style={{ left: `${x(tick) / 10}%` }}
          >
            {formatShare(tick, 0)}
          </span>
        ))}
      </div>
    </figure>
  );
}

/** The axis begins at a round share below the band: differences of few points are what matters. */
function floorOf(lows: readonly number[]): number {
  const least = Math.min(1, ...lows);
  return [0.98, 0.95, 0.9, 0.8, 0.5].find((floor) => least >= floor) ?? 0;
}

function textOf(drawn: readonly { threshold: number; value: number }[]): string {
  const [first, last] = [drawn[0], drawn.at(-1)];
  if (first === undefined || last === undefined) return 'No values.';
  const at = ({ threshold, value }: { threshold: number; value: number }) =>
    `${formatShare(value)} at ${formatShare(threshold, 0)}`;
  return `${at(first)}, ${at(last)}.`;
}
