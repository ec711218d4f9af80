/** The days and the time zone that an address asks for. */
import { formatDay, ZONE } from '../formats.ts';
import type { Search } from '../search.ts';

export interface Period {
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

export type PeriodSearch = Search<'days' | 'from' | 'to' | 'tz'>;

const DAY_MS = 24 * 60 * 60 * 1_000;
/** Whole weeks, so that weekdays meet weekdays. */
const DEFAULT_DAYS = 28;

export function periodOf({ days, from, to, tz }: PeriodSearch): Period {
  const timezone = tz ?? ZONE;
  if (from !== undefined && to !== undefined) return { from, to, timezone };
  const today = todayIn(timezone);
  const length = Number(days ?? DEFAULT_DAYS);
  return { from: addDays(today, 1 - length), to: today, timezone };
}

export function periodBefore({ from, to, timezone }: Period): Period {
  const length = lengthOf({ from, to });
  return { from: addDays(from, -length), to: addDays(from, -1), timezone };
}

/** In days. */
export function lengthOf({ from, to }: Pick<Period, 'from' | 'to'>): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

export function todayIn(timezone: string): string {
  // The Swedish form of a date is that of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(new Date());
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

export function formatPeriod({ from, to }: Pick<Period, 'from' | 'to'>): string {
  return from === to ? formatDay(from) : `${formatDay(from)} to ${formatDay(to)}`;
}

/** The moments between which records of the period lie, for lists of records. */
export function momentsOf({ from, to, timezone }: Period): { from: string; to: string } {
  return { from: startOf(from, timezone), to: startOf(addDays(to, 1), timezone) };
}

/** Midnight of the zone, found by its offset at UTC's midnight. */
function startOf(day: string, timezone: string): string {
  const utc = Date.parse(day);
  const guess = utc - offsetMs(utc, timezone);
  return new Date(utc - offsetMs(guess, timezone)).toISOString();
}

function offsetMs(atMs: number, timezone: string): number {
  const text = new Intl.DateTimeFormat('sv-SE', {
    timeZone: timezone,
    dateStyle: 'short',
    timeStyle: 'medium',
  }).format(atMs);
  return Date.parse(`${text.replace(' ', 'T')}Z`) - Math.floor(atMs / 1_000) * 1_000;
}
