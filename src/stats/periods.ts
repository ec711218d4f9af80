/** Periods of statistics: whole days in a time zone, divided into intervals. */
import { Temporal } from 'temporal-polyfill';
import { AppError } from '../errors.ts';
import { type Clock, HOUR_MS } from '../lib/clock.ts';
import { type DaysInput, listDays, readDays } from '../server/days.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
type Interval = (typeof INTERVALS)[number];

export interface PeriodInput extends DaysInput {
  readonly timezone?: string | undefined;
  readonly interval?: Interval | undefined;
}

/** Times are in milliseconds since the epoch. */
export interface Period {
  /** Such as 2026-01-31; both included. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
  readonly interval: Interval;
  readonly fromMs: number;
  /** Excluded. */
  readonly toMs: number;
}

const MAX_DAYS_BY_HOUR = 14;

/** @throws AppError `request.invalid`. */
export function readPeriod(
  { clock }: { clock: Clock },
  { from, to, timezone = 'UTC', interval = 'day' }: PeriodInput,
): Period {
  const { fromDay, toDay } = readDays({ clock }, { from, to }, undefined, todayIn(timezone, clock.nowMs()));
  const [first, last] = [Temporal.PlainDate.from(fromDay), Temporal.PlainDate.from(toDay)];
  if (interval === 'hour' && first.until(last).days >= MAX_DAYS_BY_HOUR)
    throw new AppError('request.invalid', {
      message: `interval=hour is for at most ${MAX_DAYS_BY_HOUR} days. Shorten the period, or use interval=day.`,
    });
  return periodOf(first, last, { timezone, interval });
}

function periodOf(
  first: Temporal.PlainDate,
  last: Temporal.PlainDate,
  { timezone, interval }: Pick<Period, 'timezone' | 'interval'>,
): Period {
  return {
    from: first.toString(),
    to: last.toString(),
    timezone,
    interval,
    fromMs: startOf(first, timezone),
    toMs: startOf(last.add({ days: 1 }), timezone),
  };
}

/** The period with as many days before. */
export function periodBefore(period: Period): Period {
  const [first, last] = [Temporal.PlainDate.from(period.from), Temporal.PlainDate.from(period.to)];
  const days = first.until(last).days + 1;
  return periodOf(first.subtract({ days }), first.subtract({ days: 1 }), period);
}

function startOf(date: Temporal.PlainDate, timezone: string): number {
  return date.toZonedDateTime(timezone).epochMilliseconds;
}

/** The starts of the intervals of a period, in order. The first is the start of the period. */
export function startsOf({ from, to, timezone, interval, toMs }: Period): number[] {
  const starts = listDays({ fromDay: from, toDay: to })
    .map((day) => Temporal.PlainDate.from(day))
    .filter((date, index) => index === 0 || isStart(date, interval))
    .map((date) => startOf(date, timezone));
  return interval === 'hour' ? hoursIn(starts, toMs) : starts;
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
