/** Periods of statistics: whole days in a time zone, divided into intervals. */
import { Temporal } from 'temporal-polyfill';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';

export const INTERVALS = ['hour', 'day', 'week', 'month'] as const;
export type Interval = (typeof INTERVALS)[number];

export interface PeriodInput {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly timezone?: string | undefined;
  readonly interval?: Interval | undefined;
}

/** Times are in milliseconds since the epoch. */
export interface StatsPeriod {
  /** Such as 2026-01-31; included. */
  readonly from: string;
  /** Included. */
  readonly to: string;
  readonly timezone: string;
  readonly interval: Interval;
  /** Of the period with as many days before; it ends where the first interval starts. */
  readonly previousStartMs: number;
  /** In order; the first is the start of the period. */
  readonly startsMs: readonly number[];
  readonly endMs: number;
}

const MAX_DAYS = 366;
const MAX_DAYS_BY_HOUR = 14;
const DEFAULT_DAYS = 30;
const HOUR_MS = 3_600_000;

/** @throws AppError `request.invalid`. */
export function readPeriod(
  { clock }: { clock: Clock },
  { from: fromText, to: toText, timezone = 'UTC', interval = 'day' }: PeriodInput,
): StatsPeriod {
  const today = todayIn(timezone, clock.nowMs());
  const to = toText === undefined ? today : readDate('to', toText);
  const from = fromText === undefined ? to.subtract({ days: DEFAULT_DAYS - 1 }) : readDate('from', fromText);
  const days = from.until(to).days + 1;
  if (days < 1) throw new AppError('request.invalid', { message: 'from must not be after to.' });
  if (days > MAX_DAYS)
    throw new AppError('request.invalid', { message: `from and to may span at most ${MAX_DAYS} days.` });
  if (interval === 'hour' && days > MAX_DAYS_BY_HOUR)
    throw new AppError('request.invalid', {
      message: `interval=hour is for at most ${MAX_DAYS_BY_HOUR} days. Shorten the period, or use interval=day.`,
    });
  const startOf = (date: Temporal.PlainDate) => date.toZonedDateTime(timezone).epochMilliseconds;
  const endMs = startOf(to.add({ days: 1 }));
  return {
    from: from.toString(),
    to: to.toString(),
    timezone,
    interval,
    previousStartMs: startOf(from.subtract({ days })),
    startsMs:
      interval === 'hour'
        ? hoursIn(listDates(from, to, 'day').map(startOf), endMs)
        : listDates(from, to, interval).map(startOf),
    endMs,
  };
}

/** `2026-11-01T00:00:00+01:00` */
export function localTime(timezone: string, ms: number): string {
  return Temporal.Instant.fromEpochMilliseconds(ms)
    .toZonedDateTimeISO(timezone)
    .toString({ timeZoneName: 'never', fractionalSecondDigits: 0 });
}

function todayIn(timezone: string, nowMs: number): Temporal.PlainDate {
  try {
    return Temporal.Instant.fromEpochMilliseconds(nowMs).toZonedDateTimeISO(timezone).toPlainDate();
  } catch {
    throw new AppError('request.invalid', {
      message: 'timezone must be a name of the IANA time zone database, such as Europe/Berlin.',
    });
  }
}

function readDate(name: string, text: string): Temporal.PlainDate {
  try {
    if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return Temporal.PlainDate.from(text, { overflow: 'reject' });
  } catch {
    // As any other text.
  }
  throw new AppError('request.invalid', { message: `${name} must be a day such as 2026-01-31.` });
}

/** The first days of intervals. The first interval starts at `from`, the others with their week (Monday) or month. */
function listDates(
  from: Temporal.PlainDate,
  to: Temporal.PlainDate,
  interval: 'day' | 'week' | 'month',
): Temporal.PlainDate[] {
  const dates = [from];
  for (
    let date = from.add({ days: 1 });
    Temporal.PlainDate.compare(date, to) <= 0;
    date = date.add({ days: 1 })
  )
    if (
      interval === 'day' ||
      (interval === 'week' && date.dayOfWeek === 1) ||
      (interval === 'month' && date.day === 1)
    )
      dates.push(date);
  return dates;
}

/** Hours of elapsed time from the start of each day, so that a day has 23 to 25 of them. */
function hoursIn(dayStartsMs: readonly number[], endMs: number): number[] {
  return dayStartsMs.flatMap((startMs, index) => {
    const hours: number[] = [];
    for (let ms = startMs; ms < (dayStartsMs[index + 1] ?? endMs); ms += HOUR_MS) hours.push(ms);
    return hours;
  });
}
