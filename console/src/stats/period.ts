/** The days and the time zone that an address asks for. */
import { formatDay, ZONE } from '../formats.ts';
import type { Search } from '../search.ts';

export interface Period {
  /** Days such as 2026-01-31; both included. */
  readonly from: string;
  readonly to: string;
  readonly timezone: string;
}

export const PERIOD_PARAMETERS = ['days', 'from', 'to', 'tz'] as const;
export type PeriodSearch = Search<(typeof PERIOD_PARAMETERS)[number]>;

const DAY_MS = 24 * 60 * 60 * 1_000;
export const MAX_DAYS = 366;
/** Whole weeks, so that weekdays meet weekdays. */
const DEFAULT_DAYS = '28';

/** Values of `days`. Other numbers of days are allowed in an address. */
export const PRESETS = [
  ['1', 'Today'],
  ['yesterday', 'Yesterday'],
  ['7', 'Last 7 days'],
  ['14', 'Last 14 days'],
  ['28', 'Last 28 days'],
  ['30', 'Last 30 days'],
  ['90', 'Last 90 days'],
  ['364', 'Last 52 weeks'],
  ['month', 'This month'],
  ['last-month', 'Last month'],
] as const;

/** What cannot be read counts as not given. */
export function periodOf(search: PeriodSearch, nowMs = Date.now()): Period {
  const timezone = isZone(search.tz) ? search.tz : ZONE;
  const { from, to } = search;
  if (from !== undefined && to !== undefined && faultOf(search) === null) return { from, to, timezone };
  return { ...daysOf(presetOf(search), todayIn(timezone, nowMs)), timezone };
}

/** What of an address `periodOf` cannot read, in words; null where it reads all. */
export function unreadOf(search: PeriodSearch): string | null {
  const { from, to, days, tz } = search;
  const hasDays = from !== undefined || to !== undefined;
  const faults = [
    hasDays ? faultOf(search) : days !== undefined && presetOf(search) !== days && `no period is “${days}”`,
    tz !== undefined && !isZone(tz) && `no time zone is “${tz}”`,
  ].filter((fault) => typeof fault === 'string');
  return faults.length === 0 ? null : faults.join(', and ');
}

function faultOf({ from, to }: PeriodSearch): string | null {
  if (from === undefined || to === undefined) return 'it names one day of two';
  const none = [from, to].find((day) => !isDay(day));
  if (none !== undefined) return `no day is “${none}”`;
  if (from > to) return 'its first day is after the last';
  return lengthOf({ from, to }) > MAX_DAYS ? `its days are more than ${MAX_DAYS}` : null;
}

/** Whether none of its days has begun. */
export function isAhead({ from, timezone }: Period, nowMs = Date.now()): boolean {
  return from > todayIn(timezone, nowMs);
}

/** The preset, or null for days that were chosen one by one. */
export function chosenPreset(search: PeriodSearch): string | null {
  const { from, to } = periodOf(search);
  return search.from === from && search.to === to ? null : presetOf(search);
}

/** Whether the same days of the month before are compared. */
export function isMonth(search: PeriodSearch): boolean {
  return ['month', 'last-month'].includes(chosenPreset(search) ?? '');
}

function presetOf({ days = DEFAULT_DAYS }: PeriodSearch): string {
  const isKnown = PRESETS.some(([preset]) => preset === days);
  const isNumber = /^[1-9]\d{0,2}$/.test(days) && Number(days) <= MAX_DAYS;
  return isKnown || isNumber ? days : DEFAULT_DAYS;
}

function daysOf(preset: string, today: string): Pick<Period, 'from' | 'to'> {
  const firstOfMonth = `${today.slice(0, 8)}01`;
  const yesterday = addDays(today, -1);
  const endOfLastMonth = addDays(firstOfMonth, -1);
  switch (preset) {
    case 'yesterday':
      return { from: yesterday, to: yesterday };
    case 'month':
      return { from: firstOfMonth, to: today };
    case 'last-month':
      return { from: `${endOfLastMonth.slice(0, 8)}01`, to: endOfLastMonth };
    default:
      return { from: addDays(today, 1 - Number(preset)), to: today };
  }
}

function isDay(text: string): boolean {
  return /^[12]\d{3}-\d\d-\d\d$/.test(text) && isSameDay(text);
}

/** Not the 30th of February. */
function isSameDay(text: string): boolean {
  const ms = Date.parse(text);
  return !Number.isNaN(ms) && new Date(ms).toISOString().startsWith(text);
}

function isZone(name: string | undefined): name is string {
  if (name === undefined) return false;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/** In days. */
export function lengthOf({ from, to }: Pick<Period, 'from' | 'to'>): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / DAY_MS) + 1;
}

export function todayIn(timezone: string, nowMs = Date.now()): string {
  // The Swedish form of a date is that of ISO 8601.
  return new Intl.DateTimeFormat('sv-SE', { timeZone: timezone }).format(nowMs);
}

export function addDays(day: string, days: number): string {
  return new Date(Date.parse(day) + days * DAY_MS).toISOString().slice(0, 10);
}

/** With years, unless both days are of this one. */
export function formatPeriod({ from, to }: Pick<Period, 'from' | 'to'>): string {
  const year = String(new Date().getFullYear());
  const isThisYear = from.startsWith(year) && to.startsWith(year);
  const format = (day: string) =>
    formatDay(day, { day: 'numeric', month: 'short', ...(!isThisYear && { year: 'numeric' }) });
  return from === to ? format(from) : `${format(from)} to ${format(to)}`;
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
