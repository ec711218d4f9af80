/** When an event happened, by the service's clock; pure. */
import { isMoment } from '../lib/clock.ts';
import { CLOCK_TOLERANCE_MS } from './limits.ts';

/**
 * How far the phone's clock is behind that of the service; negative if it is ahead, and 0 within the tolerance: a request
 * takes seconds, and a batch up to a minute.
 * @param sentAt the time by the phone's clock when it sent the request. Anything but a date-time says nothing.
 */
export function clockLagMs(sentAt: unknown, nowMs: number): number {
  if (typeof sentAt !== 'string' || !isMoment(sentAt)) return 0;
  const lagMs = nowMs - Date.parse(sentAt);
  return Math.abs(lagMs) > CLOCK_TOLERANCE_MS ? lagMs : 0;
}

/**
 * @param occurredAt a date-time by the phone's clock; without one, the event happened now.
 * @returns a time from 1970 to now: an event from the future happens now. Null if the time is before 1970 or a leap second.
 */
export function occurredAtMs(
  occurredAt: string | null | undefined,
  { nowMs, lagMs }: { nowMs: number; lagMs: number },
): number | null {
  if (!occurredAt) return nowMs;
  const givenMs = Date.parse(occurredAt);
  // The date-time format allows leap seconds, which are NaN here.
  if (Number.isNaN(givenMs)) return null;
  // A correction to before 1970 makes no sense: the clock was set between the event and the sending.
  const correctedMs = givenMs + lagMs < 0 ? givenMs : givenMs + lagMs;
  return correctedMs < 0 ? null : Math.min(correctedMs, nowMs);
}
