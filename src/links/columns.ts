import { type Actor, checkDestinations } from '../apps/index.ts';
import { type LinksTable, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { checkWebAddress } from '../lib/web-address.ts';
import type { UpdateLinkInput } from './schemas.ts';

const MAX_OBJECT_BYTES = 16 * 1024;

/**
 * Converts the given fields to columns; null clears a field.
 * @throws AppError `request.invalid` for an unsafe URL or an object that is too large.
 */
export function columnsOf(input: UpdateLinkInput, actor: Actor, nowMs: number): Partial<LinksTable> {
  checkDestinations(input);
  checkWebAddress('ogImage', input.ogImage);
  const columns: Partial<LinksTable> = {};
  if (input.deepLinkPath !== undefined) columns.deep_link_path = input.deepLinkPath;
  if (input.deepLinkParams !== undefined)
    columns.deep_link_params = objectText('deepLinkParams', input.deepLinkParams);
  if (input.campaignId !== undefined) columns.campaign_id = input.campaignId;
  if (input.iosDestination !== undefined) columns.ios_destination = input.iosDestination;
  if (input.androidDestination !== undefined) columns.android_destination = input.androidDestination;
  if (input.fallbackUrl !== undefined) columns.fallback_url = input.fallbackUrl;
  if (input.ogTitle !== undefined) columns.og_title = input.ogTitle;
  if (input.ogDescription !== undefined) columns.og_description = input.ogDescription;
  if (input.ogImage !== undefined) columns.og_image = input.ogImage;
  if (input.landingPage !== undefined) columns.landing_page = input.landingPage;
  if (input.metadata !== undefined) columns.metadata = objectText('metadata', input.metadata);
  if (input.sandbox !== undefined) columns.sandbox = toFlag(input.sandbox ?? actor.mode === 'test');
  if (input.expiresInDays !== undefined)
    columns.expires_at = input.expiresInDays === null ? null : isoTime(nowMs + input.expiresInDays * DAY_MS);
  return columns;
}

function objectText(field: string, object: Record<string, unknown> | null): string {
  const text = JSON.stringify(object ?? {});
  if (Buffer.byteLength(text) > MAX_OBJECT_BYTES)
    throw new AppError('request.invalid', { message: `${field} must be at most 16 KiB as JSON.` });
  return text;
}
