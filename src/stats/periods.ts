/**
 * Periods of statistics: whole days in a time zone, divided into intervals. One that reaches into the present is compared
 * with as much of the period before it.
 */
import { Temporal } from 'temporal-polyfill';
import { AppError } from '../errors.ts';
import { type Clock, HOUR_MS, MINUTE_MS } from '../lib/clock.ts';
import { type DaysInput, listDays, readDays } from '../server/days.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
type Interval = (typeof INTERVALS)[number];

/** With which period before: as many days, or the same days of the month before. */
export const COMPARISONS = ['days', 'month'] as const;
type Comparison = (typeof COMPARISONS)[number];

export interface PeriodInput extends DaysInput {
  readonly timezone?: string | undefined;
  readonly interval?: Interval | undefined;
  readonly compare?: Comparison | undefined;
}

/** Times are in milliseconds since the epoch. */
export interface Period {
  /** Such as 2026-01-31; both included. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  readonly interval: Interval;
  readonly compare: Comparison;
  readonly fromMs: number;
  /** Excluded, as the others: the end of what is counted. */
  readonly toMs: number;
  /** The end of the last day. */
  readonly endMs: number;
  /** The present, if it is before the end. */
  readonly untilMs: number;
}

const MAX_DAYS_BY_HOUR = 14;
export const QUARTER_HOUR_MS = 15 * MINUTE_MS;

/** @throws AppError `request.invalid`. */
export function readPeriod(
  { clock }: { clock: Clock },
  { from, to, timezone = 'UTC', interval = 'day', compare = 'days' }: PeriodInput,
): Period {
  const { fromDay, toDay } = readDays({ clock }, { from, to }, undefined, todayIn(timezone, clock.nowMs()));
  const [first, last] = [Temporal.PlainDate.from(fromDay), Temporal.PlainDate.from(toDay)];
  if (interval === 'hour' && first.until(last).days >= MAX_DAYS_BY_HOUR)
    throw new AppError('request.invalid', {
      message: `interval=hour is for at most ${MAX_DAYS_BY_HOUR} days. Shorten the period, or use interval=day.`,
    });
  if (compare === 'month' && (first.year !== last.year || first.month !== last.month))
    throw new AppError('request.invalid', {
      message: 'compare=month is for days of one month. Shorten the period, or use compare=days.',
    });
  return periodOf(first, last, { timezone, interval, compare, nowMs: clock.nowMs() });
}

function periodOf(
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
  {
    timezone,
    interval,
    compare,
    nowMs,
  }: Pick<Period, 'timezone' | 'interval' | 'compare'> & { nowMs: number },
): Period {
  const fromMs = startOf(first, timezone);
  const endMs = startOf(last.add({ days: 1 }), timezone);
  return {
    ...{ from: first.toString(), to: last.toString(), timezone, interval, compare },
    ...{ fromMs, toMs: endMs, endMs, untilMs: Math.min(endMs, nowMs) },
  };
}

/** The period that is compared, up to the same local time, to the quarter hour that cells have. */
export function periodBefore(period: Period): Period {
  const { timezone, compare, endMs, untilMs } = period;
  const [first, last] = [Temporal.PlainDate.from(period.from), Temporal.PlainDate.from(period.to)];
  const back = compare === 'month' ? { months: 1 } : { days: first.until(last).days + 1 };
  const quarterHourMs = Math.round(untilMs / QUARTER_HOUR_MS) * QUARTER_HOUR_MS;
  const nowMs = untilMs === endMs ? endMs : timeBefore(quarterHourMs, back, timezone);
  const lastBefore = compare === 'month' ? inMonthBefore(last) : first.subtract({ days: 1 });
  const before = periodOf(first.subtract(back), lastBefore, { ...period, nowMs });
  return { ...before, toMs: Math.max(before.fromMs, before.untilMs) };
}

/** The last day of a month meets the last one of the month before. */
function inMonthBefore(date: Temporal.PlainDate): Temporal.PlainDate {
  const before = date.subtract({ months: 1 });
  return date.day === date.daysInMonth ? before.with({ day: before.daysInMonth }) : before;
}

/** The same local time; where a clock skipped it, that much later, and where it came twice, the first. */
function timeBefore(ms: number, back: Temporal.DurationLike, timezone: string): number {
  const { epochMilliseconds } = Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .subtract(back);
  return epochMilliseconds;
}

function startOf(date: Temporal.PlainDate, timezone: string): number {
  return date.toZonedDateTime(timezone).epochMilliseconds;
}

/** The starts of the intervals of a period up to the present, in order, and whether the last one is not over. */
export function intervalsOf(period: Period): { startsMs: number[]; isLastPartial: boolean } {
  const { toMs, endMs, untilMs } = period;
  const all = allStartsOf(period);
  const startsMs = all.filter((startMs) => startMs <= untilMs && startMs < toMs);
  const lastEndMs = all[startsMs.length] ?? endMs;
  return { startsMs, isLastPartial: startsMs.length > 0 && lastEndMs > Math.min(toMs, untilMs) };
}

/** The first is the start of the period. */
function allStartsOf({ from, to, timezone, interval, endMs }: Period): number[] {
  const starts = listDays({ fromDay: from, toDay: to })
    .map((day) => Temporal.PlainDate.from(day))
    .filter((date, index) => index === 0 || isStart(date, interval))
    .map((date) => startOf(date, timezone));
  return interval === 'hour' ? hoursIn(starts, endMs) : starts;
}

/** @returns the index of the last start that is not after a time. */
export function intervalAt(startsMs: readonly number[], atMs: number): number {
  let [low, high] = [0, startsMs.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((startsMs[middle] ?? 0) <= atMs) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** `2026-11-01T00:00:00+01:00` */
export function localTime(timezone: string, ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: 'never', fractionalSecondDigits: 0 });
}

function todayIn(timezone: string, nowMs: number): string {
  try {
    return Temporal.Instant.fromEpochMilliseconds(nowMs)
      .toZonedDateTimeISO(timezone)
      .toPlainDate()
      .toString();
  } catch {
    throw new AppError('request.invalid', {
      message: 'timezone must be a name of the IANA time zone database, such as Europe/Berlin.',
    });
  }
}

/** The first interval starts with the period, the others with their day, week (Monday) or month. */
function isStart({ dayOfWeek, day }: Temporal.PlainDate, interval: Interval): boolean {
  if (interval === 'week') return dayOfWeek === 1;
  return interval !== 'month' || day === 1;
}

/** Hours of elapsed time from the start of each day, so that a day has 23 to 25 of them. */
function hoursIn(dayStartsMs: readonly number[], endMs: number): number[] {
  return dayStartsMs.flatMap((startMs, index) => {
    const hours: number[] = [];
    for (let ms = startMs; ms < (dayStartsMs[index + 1] ?? endMs); ms += HOUR_MS) hours.push(ms);
    return hours;
  });
}
