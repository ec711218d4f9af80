/** One metric over time: a line with a light tint, the period before dashed, the unfinished end dotted. */
import { type KeyboardEvent, type PointerEvent, useState } from 'react';

interface Line {
  readonly name: string;
  readonly values: readonly number[];
}

export interface SeriesChartProps {
  readonly label: string;
  readonly now: Line;
  /** Null where nothing is compared. */
  readonly before: Line | null;
  /** A second line on the same scale. */
  readonly second?: Line;
  /** Of each point, in the tip: of this period, and of the one before. */
  readonly names: readonly (readonly [now: string, before: string])[];
  /** Below the axis, by index of the point. */
  readonly ticks: readonly (readonly [index: number, text: string])[];
  /** Whether the last interval is not over. */
  readonly isOpen: boolean;
  readonly format: (value: number) => string;
  readonly className?: string;
}

export function SeriesChart(props: SeriesChartProps) {
  const { label, now, before, second, names, format, className = 'h-[236px] max-phone:h-[180px]' } = props;
  const [at, setAt] = useState<number | null>(null);
  const count = now.values.length;
  const all = [...now.values, ...(before?.values ?? []), ...(second?.values ?? [])];
  const steps = niceSteps(Math.max(...all, 0));
  const top = steps.at(-1) ?? 1;
  const y = (value: number) => 100 - (value / top) * 100;
  const x = (index: number) => (count < 2 ? 0 : (index / (count - 1)) * 1_000);
  const point = at === null ? null : names[at];
  return (
    <div>
      <div
        className={`relative outline-offset-4 ${className}`}
        role="img"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: arrow keys move the crosshair
        tabIndex={0}
        aria-label={`${label}. Lowest ${format(Math.min(...now.values))}, highest ${format(Math.max(...now.values))}.`}
        onPointerMove={(event) => setAt(indexAt(event, count))}
        onPointerLeave={() => setAt(null)}
        onBlur={() => setAt(null)}
        onKeyDown={(event) => setAt(indexOfKey(event, at, count))}
      >
        <svg
          viewBox="0 0 1000 100"
          preserveAspectRatio="none"
          className="size-full overflow-visible"
          aria-hidden="true"
        >
          <Grid steps={steps} y={y} />
          <Lines {...props} x={x} y={y} />
          {at !== null && <path d={`M${x(at)} 0V100`} className="plot stroke-line-strong" />}
        </svg>
        {/* A line has no length yet. */}
        {count === 1 && at === null && <Dot left={0} bottom={100 - y(now.values[0] ?? 0)} />}
        {steps.slice(1).map((step) => (
          <span
            key={step}
            className="absolute left-0 pb-0.5 text-[11px] leading-[14px] text-ink-3"
            style={{ bottom: `${(step / top) * 100}%` }}
          >
            {format(step)}
          </span>
        ))}
        {at !== null && point !== null && point !== undefined && (
          <Tip {...props} at={at} point={point} left={x(at) / 10} bottom={100 - y(now.values[at] ?? 0)} />
        )}
      </div>
      <Axis {...props} />
    </div>
  );
}

type Scale = (value: number) => number;

function Grid({ steps, y }: { steps: readonly number[]; y: Scale }) {
  return steps.map((step) => (
    <path
      key={step}
      d={`M0 ${y(step)}H1000`}
      className={`plot ${step === 0 ? 'stroke-line-strong' : 'stroke-line'}`}
    />
  ));
}

function Lines({ now, before, second, isOpen, x, y }: SeriesChartProps & { x: Scale; y: Scale }) {
  const path = (values: readonly number[], from = 0) =>
    values
      .map((value, index) => `${index === 0 ? 'M' : 'L'}${x(index + from).toFixed(1)} ${y(value).toFixed(2)}`)
      .join('');
  const { values } = now;
  const closed = isOpen && values.length > 1 ? values.slice(0, -1) : values;
  const open = isOpen && values.length > 1 ? values.slice(-2) : [];
  return (
    <>
      <path
        d={`${path(values)}L${x(values.length - 1)} 100L${x(0)} 100Z`}
        className="fill-accent [fill-opacity:.07]"
      />
      {before !== null && (
        <path
          d={path(before.values.slice(0, values.length))}
          className="plot stroke-mute [stroke-dasharray:4_3] [stroke-width:1.5]"
        />
      )}
      {second !== undefined && (
        <path d={path(second.values)} className="plot stroke-ink [stroke-width:1.5]" />
      )}
      <path d={path(closed)} className="plot stroke-accent [stroke-width:2]" />
      <path
        d={path(open, values.length - 2)}
        className="plot stroke-accent [stroke-dasharray:2_4] [stroke-linecap:round] [stroke-width:2]"
      />
    </>
  );
}

function Tip({
  now,
  before,
  second,
  format,
  at,
  point: [name, nameBefore],
  left,
  bottom,
}: SeriesChartProps & { at: number; point: readonly [string, string]; left: number; bottom: number }) {
  const valueBefore = before?.values[at];
  const valueOfSecond = second?.values[at];
  const side = left > 50 ? { right: `calc(${100 - left}% + 12px)` } : { left: `calc(${left}% + 12px)` };
  return (
    <>
      <Dot left={left} bottom={bottom} />
      <div
        className="pointer-events-none absolute top-0 z-5 grid grid-cols-[auto_auto] gap-x-5 gap-y-0.5 rounded-m bg-raised px-3 py-2 text-meta whitespace-nowrap shadow-float"
        style={side}
      >
        <b className="col-span-2">{name}</b>
        <span>{now.name}</span>
        <span className="text-right">{format(now.values[at] ?? 0)}</span>
        {valueBefore !== undefined && (
          <>
            <span className="text-ink-3">{nameBefore}</span>
            <span className="text-right text-ink-3">{format(valueBefore)}</span>
          </>
        )}
        {second !== undefined && (
          <>
            <span>{second.name}</span>
            <span className="text-right">{format(valueOfSecond ?? 0)}</span>
          </>
        )}
      </div>
    </>
  );
}

/** In per cent of the plot. */
function Dot({ left, bottom }: { left: number; bottom: number }) {
  return (
    <span
      className="absolute -mb-[4.5px] -ml-[4.5px] size-[9px] rounded-full bg-accent shadow-[0_0_0_2px_var(--color-surface)]"
      style={{ left: `${left}%`, bottom: `${bottom}%` }}
    />
  );
}

/** The text of the last point ends at the edge, and is the longest: narrow screens leave out the one before it. */
function Axis({ ticks, now }: SeriesChartProps) {
  const last = now.values.length - 1;
  return (
    <div className="meta relative mt-1.5 h-6" aria-hidden="true">
      {ticks.map(([index, text]) => (
        <span
          key={index}
          className={`absolute whitespace-nowrap ${index === 0 ? '' : index === last ? '-translate-x-full' : '-translate-x-1/2 max-phone:nth-[even]:hidden max-wide:nth-last-2:hidden'}`}
          style={{ left: `${last < 1 ? 0 : (index / last) * 100}%` }}
        >
          {text}
        </span>
      ))}
    </div>
  );
}

/** From zero to a round number above `max`, in two to four steps. */
function niceSteps(max: number): number[] {
  if (max <= 0) return [0, 1];
  const rough = max / 3;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((size) => size >= rough) ?? rough;
  const count = Math.ceil(max / step - 1e-9);
  return Array.from({ length: count + 1 }, (_, index) => index * step);
}

function indexAt(event: PointerEvent<HTMLElement>, count: number): number {
  const { left, width } = event.currentTarget.getBoundingClientRect();
  const share = width === 0 ? 0 : (event.clientX - left) / width;
  return Math.min(count - 1, Math.max(0, Math.round(share * (count - 1))));
}

function indexOfKey(event: KeyboardEvent, at: number | null, count: number): number | null {
  if (event.key === 'Escape') return null;
  const move = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  if (move === undefined) return at;
  event.preventDefault();
  return Math.min(count - 1, Math.max(0, (at ?? count) + move));
}
