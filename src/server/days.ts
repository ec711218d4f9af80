import { type Static, Type } from 'typebox';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, dayOf, isoTime, startOf } from '../lib/clock.ts';
import { Text } from './schemas.ts';

const DEFAULT_DAYS = 30;

const Day = Text('^[0-9]{4}-[0-9]{2}-[0-9]{2}$', 'a day such as 2026-01-31');

/** Query parameters of a range of days. */
export const days = { from: Type.Optional(Day), to: Type.Optional(Day) };
const Days = Type.Object(days);
export type DaysInput = Static<typeof Days>;

/**
 * Days in UTC such as 2026-01-31, both inclusive; the last 30 by default.
 * @throws AppError `request.invalid` for a day that does not exist or is before 1970, a reversed range, or too many days.
 */
export function readDays(
  { clock }: Pick<Foundation, 'clock'>,
  { from, to }: DaysInput,
  maxDays = 366,
): { fromDay: string; toDay: string } {
  const lastMs = to === undefined ? startOf('day', clock.nowMs()) : toMs('to', to);
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
  const ms = Date.parse(`${day}T00:00:00Z`);
  // The pattern allows 2026-02-31.
  if (Number.isNaN(ms) || ms < 0 || toDay(ms) !== day)
    throw invalid(`${name} must be a day from 1970 on, such as 2026-01-31.`);
  return ms;
}

function toDay(ms: number): string {
  return dayOf(isoTime(ms));
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
