/** The only source of time; tests pass their own. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** May be set back. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** Calls `run` once, `delayMs` later; a process that ends does not wait for it. @returns what cancels it. */
export type After = (delayMs: number, run: () => void) => () => void;

/** By the system's clock. Timers may fire a little before the time that it shows. */
export const after: After = (delayMs, run) => {
  const timer = setTimeout(run, Math.max(delayMs, 0) + TIMER_SLACK_MS).unref();
  return () => clearTimeout(timer);
};

/** For durations: milliseconds since an arbitrary moment, never set back. */
export function monotonicMs(): number {
  return performance.now();
}

/** ISO 8601 in UTC with milliseconds, as in the API and the database. */
export function isoTime(ms: number): string {
  // Under load many calls fall into one millisecond.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

/** `YYYY-MM-DD` of an ISO 8601 time in UTC. */
export function dayOf(iso: string): string {
  return iso.slice(0, 'YYYY-MM-DD'.length);
}

/** Whether a text is an ISO 8601 time with a zone, on a day that exists: `Date.parse` takes February 30 for March 2. */
export function isMoment(text: string): boolean {
  const day = /^(\d{4}-\d\d-\d\d)T.*(?:Z|[+-]\d\d:?\d\d)$/i.exec(text)?.[1];
  if (day === undefined || Number.isNaN(Date.parse(text))) return false;
  const startMs = Date.parse(`${day}T00:00:00Z`);
  return !Number.isNaN(startMs) && dayOf(new Date(startMs).toISOString()) === day;
}

/** In UTC. */
export type Period = 'day' | 'month';

/** Start of the period that contains `ms`, or of the one `later` periods after it. */
export function startOf(period: Period, ms: number, later = 0): number {
  const time = new Date(ms);
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return period === 'day' ? Date.UTC(year, month, day + later) : Date.UTC(year, month + later, 1);
}

const TIMER_SLACK_MS = 5;

let last = { ms: 0, text: new Date(0).toISOString() };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** End of the year 9999 in UTC, the latest time of SQLite. */
export const LATEST_MS = Date.UTC(9_999, 11, 31, 23, 59, 59, 999);
