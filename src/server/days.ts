import { type Static, Type } from 'typebox';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, dayOf, isoTime } from '../lib/clock.ts';
import { Text } from './schemas.ts';

const DEFAULT_DAYS = 30;

const Day = Text('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'a day such as 2026-01-31');

/** Query parameters of a range of days. */
export const days = { from: Type.Optional(Day), to: Type.Optional(Day) };
const Days = Type.Object(days);
export type DaysInput = Static<typeof Days>;

/**
 * Days such as 2026-01-31, both inclusive; the last 30 by default.
 * @param today in UTC by default.
 * @throws AppError `request.invalid` for a day that does not exist or is before 1970, a reversed range, or too many days.
 */
export function readDays(
  { clock }: Pick<Foundation, 'clock'>,
  { from, to }: DaysInput,
  maxDays = 366,
  today = toDay(clock.nowMs()),
): { fromDay: string; toDay: string } {
  const lastMs = toMs('to', to ?? today);
  const firstMs = from === undefined ? lastMs - (DEFAULT_DAYS - 1) * DAY_MS : toMs('from', from);
  if (firstMs > lastMs) throw invalid('from must not be after to.');
  if (lastMs - firstMs >= maxDays * DAY_MS) throw invalid(`from and to may be ${maxDays} days at most.`);
  return { fromDay: toDay(firstMs), toDay: toDay(lastMs) };
}

/** Every day of a range, both ends inclusive. */
export function listDays(range: { fromDay: string; toDay: string }): string[] {
  const lastMs = Date.parse(range.toDay);
  const listed: string[] = [];
  for (let ms = Date.parse(range.fromDay); ms <= lastMs; ms += DAY_MS) listed.push(toDay(ms));
  return listed;
}

function toMs(name: string, day: string): number {
  if (!isDay(day)) throw invalid(`${name} must be a day from 1970 on, such as 2026-01-31.`);
  return Date.parse(day);
}

/** Whether a text is a day from 1970 on, such as 2026-01-31, that exists: a pattern allows 2026-02-31. */
export function isDay(text: string): boolean {
  const ms = Date.parse(`${text}T00:00:00Z`);
  return ms >= 0 && toDay(ms) === text;
}

function toDay(ms: number): string {
  return dayOf(isoTime(ms));
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
