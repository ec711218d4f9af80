/** How periods and their intervals are named: partly over ones are never taken for whole ones. */
import type { Stats, StatsInterval } from '@generated/types.gen.ts';
import { formatDay, LOCALE } from '../formats.ts';
import { addDays, formatPeriod } from './period.ts';

const MINUTE = { hour: 'numeric', minute: '2-digit' } as const;
const SO_FAR = 'so far';

type Series = Pick<Stats, 'from' | 'to' | 'interval'> & { readonly series: readonly StatsInterval[] };

/** Whether the last interval is not over. */
export function isOpen(series: readonly StatsInterval[]): boolean {
  return series.at(-1)?.partial === true;
}

/** `Thu 26 Nov, 14:00`, `2 to 8 Nov`, `October 2026`; those that are not over with `so far`. @param partial other words for it. */
export function intervalNames(stats: Series, partial = SO_FAR): string[] {
  return stats.series.map((point, index) => {
    const next = stats.series[index + 1]?.at.slice(0, 10);
    const last = next === undefined ? stats.to : addDays(next, -1);
    const name = nameOf(point.at, stats, last);
    return point.partial === true ? `${name}, ${partial}` : name;
  });
}

/** @param at local time of the statistics' zone, with its offset. @param last day of the interval. */
function nameOf(at: string, { interval }: Series, last: string): string {
  const day = at.slice(0, 10);
  if (interval === 'hour') return `${formatDay(at, WEEKDAY)}, ${formatLocal(at)}`;
  if (interval === 'day') return formatDay(at, WEEKDAY);
  const isWholeMonth = day.endsWith('-01') && addDays(last, 1).endsWith('-01');
  return interval === 'month' && isWholeMonth
    ? formatDay(at, { month: 'long', year: 'numeric' })
    : formatPeriod({ from: day, to: last });
}

const WEEKDAY = { weekday: 'short', day: 'numeric', month: 'short' } as const;

/** The time of day where the statistics count, whatever the viewer's zone. */
function formatLocal(at: string): string {
  return new Date(`${at.slice(0, 19)}Z`).toLocaleTimeString(LOCALE, {
    ...MINUTE,
    timeZone: 'UTC',
  });
}

/** `1 Oct to 25 Oct, up to the same time (14:05)` */
export function formatPrevious({ from, to }: { from: string; to: string }): string {
  const isMidnight = to.slice(11, 19) === '00:00:00';
  const last = isMidnight ? addDays(to.slice(0, 10), -1) : to.slice(0, 10);
  const days = formatPeriod({ from: from.slice(0, 10), to: last });
  return isMidnight ? days : `${days}, up to the same time (${formatLocal(to)})`;
}

const TICKS = 4;
const HOUR_STEPS = [1, 2, 3, 6, 12, 24];
const OF_NOW = { hour: 'This hour', day: 'Today', week: 'This week', month: 'This month' } as const;

/** Below the axis, by index of the point: the hours of one day, else days. */
export function ticksOf({ series, interval }: Series): (readonly [index: number, text: string])[] {
  const last = series.length - 1;
  if (last < 0) return [];
  const isOfHours = interval === 'hour' && new Set(series.map(({ at }) => at.slice(0, 10))).size === 1;
  const textOf = (at: string) => (isOfHours ? formatLocal(at) : formatDay(at));
  const end = isOpen(series) ? `${OF_NOW[interval]}, ${SO_FAR}` : textOf(series[last]?.at ?? '');
  if (last === 0) return [[0, end]];
  const step = stepOf(last, interval, isOfHours);
  const ticks = series.flatMap(({ at }, index) =>
    isTick(at, index, { step, isDays: interval === 'hour' && !isOfHours }) &&
    index < last - last / (2 * TICKS)
      ? [[index, textOf(at)] as const]
      : [],
  );
  return [...ticks, [last, end] as const];
}

function stepOf(last: number, interval: Stats['interval'], isOfHours: boolean): number {
  const exact = last / TICKS;
  if (isOfHours) return HOUR_STEPS.find((hours) => hours >= exact) ?? 24;
  if (interval === 'hour') return Math.max(1, Math.round(exact / 24));
  // Whole weeks apart where days are counted, so that ticks share a weekday.
  return Math.max(1, interval === 'day' && last >= 14 ? Math.ceil(exact / 7) * 7 : Math.round(exact));
}

/** Of hours over several days, only midnights carry a day; every `step`th of them. */
function isTick(at: string, index: number, { step, isDays }: { step: number; isDays: boolean }): boolean {
  if (!isDays) return index % step === 0;
  return at.slice(11, 16) === '00:00' && Math.round(index / 24) % step === 0;
}
