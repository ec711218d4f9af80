import { HOUR_MS, SECOND_MS } from '../clock.ts';

/** Statuses whose `Retry-After` says that a later attempt will be taken. */
const PAUSING = [429, 503];
/** The least delay of the contract: 0 seconds and a date in the past ask for no longer one. */
const MIN_PAUSE_MS = SECOND_MS;
const MAX_PAUSE_MS = HOUR_MS;
/** RFC 9110 has whole seconds; some receivers send fractions. */
const SECONDS = /^\d+(?:\.\d+)?$/;
/** The three forms of RFC 9110 5.6.7. `Date.parse` accepts much that is no date, such as `-5`. */
const HTTP_DATES = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]+, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
];

/**
 * How long the receiver asks to wait: a second to an hour; null if it does not ask, or not in the form of RFC 9110.
 * @param header the value of `Retry-After`.
 */
export function pauseOf(
  { status, retryAfter }: { status: number; retryAfter?: string },
  nowMs: number,
): number | null {
  if (retryAfter === undefined || !PAUSING.includes(status)) return null;
  const askedMs = delayOf(retryAfter.trim(), nowMs);
  return askedMs === null ? null : Math.min(Math.max(askedMs, MIN_PAUSE_MS), MAX_PAUSE_MS);
}

function delayOf(text: string, nowMs: number): number | null {
  if (SECONDS.test(text)) return Math.ceil(Number(text) * SECOND_MS);
  if (!HTTP_DATES.some((form) => form.test(text))) return null;
  const timeMs = Date.parse(text.endsWith('GMT') ? text : `${text} GMT`);
  return Number.isNaN(timeMs) ? null : timeMs - nowMs;
}
