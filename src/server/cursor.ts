import { AppError } from '../errors.ts';
import { isMoment, isoTime, LATEST_MS } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';

/** Where a page begins, of a list that takes an id or a time. @throws AppError `request.invalid`. */
export function cursorOf(before: string | undefined): { beforeId: string | null; beforeTime: string | null } {
  if (before === undefined) return { beforeId: null, beforeTime: null };
  if (isUuid(before)) return { beforeId: before.toLowerCase(), beforeTime: null };
  if (!isMoment(before))
    throw new AppError('request.invalid', {
      message: 'before must be an id of this list or a date-time such as 2026-01-31T12:00:00Z.',
    });
  const timeMs = Math.min(Math.max(0, Date.parse(before)), LATEST_MS);
  return { beforeId: null, beforeTime: isoTime(timeMs) };
}
