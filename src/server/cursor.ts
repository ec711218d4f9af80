import { AppError } from '../errors.ts';
import { isMoment, LATEST_MS } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';

/** Where a page of a list begins: at an item, or at a moment. */
export type Cursor = { readonly id: string } | { readonly atMs: number };

/** @param name of the parameter, such as `before`. @throws AppError `request.invalid`. */
export function cursorOf(name: string, text: string | undefined): Cursor | null {
  if (text === undefined) return null;
  return isUuid(text) ? { id: text.toLowerCase() } : { atMs: momentOf(name, text, 'an id of this list or ') };
}

/** @throws AppError `request.invalid`. */
export function momentOf(name: string, text: string, or = ''): number {
  if (!isMoment(text))
    throw new AppError('request.invalid', {
      message: `${name} must be ${or}a date-time such as 2026-01-31T12:00:00Z.`,
    });
  return Math.min(Math.max(0, Date.parse(text)), LATEST_MS);
}
