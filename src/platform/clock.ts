/** The only source of time. Tests pass their own, so nothing else in the code asks the machine what time it is. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** The machine's, which may be set back. */
export const systemClock: Clock = { nowMs: () => Date.now() };

/** For how long something takes: milliseconds since some moment, never set back. */
export function monotonicMs(): number {
  return performance.now();
}

/** ISO 8601 in UTC with milliseconds, the form of every timestamp on the wire and in the database. */
export function isoTime(ms: number): string {
  // Under load many records are of one millisecond.
  if (ms !== last.ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}

/** The day of an ISO 8601 time in UTC: `YYYY-MM-DD`. */
export function dayOf(iso: string): string {
  return iso.slice(0, 'YYYY-MM-DD'.length);
}

/** Whether it is an ISO 8601 time with a zone: without one it would be another moment on every machine. */
export function isMoment(text: string): boolean {
  return /^\d{4}-\d\d-\d\dT.*(Z|[+-]\d\d:?\d\d)$/i.test(text) && !Number.isNaN(Date.parse(text));
}

/** A day or a month, in UTC. */
export type Period = 'day' | 'month';

/** When the period that a time falls into began; with `later`, the period so many after it. */
export function startOf(period: Period, ms: number, later = 0): number {
  const time = new Date(ms);
  const [year, month, day] = [time.getUTCFullYear(), time.getUTCMonth(), time.getUTCDate()];
  return period === 'day' ? Date.UTC(year, month, day + later) : Date.UTC(year, month + later, 1);
}

let last = { ms: 0, text: new Date(0).toISOString() };

export const SECOND_MS = 1_000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;
/** The end of the year 9999 in UTC: not every database has later times. */
export const LATEST_MS = Date.UTC(9_999, 11, 31, 23, 59, 59, 999);
