import { checkDestinations } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Flag, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { DAY_MS, isMoment, isoTime, LATEST_MS } from '../lib/clock.ts';
import { oneLine } from '../lib/text.ts';
import { checkWebAddress } from '../lib/web-address.ts';
import { checkRules } from './choice/check-rules.ts';
import type { LinkRow } from './link.ts';
import { tagsOf } from './lists/tags.ts';
import { checkPath } from './look-up/check-path.ts';
import type { UpdateLinkInput } from './schemas.ts';

const MAX_OBJECT_BYTES = 16 * 1024;

/** All columns that a request can set. */
type Settable = Omit<
  LinkRow,
  | 'app_id'
  | 'id'
  | 'short_code'
  | 'imported_clicks'
  | 'invited_by'
  | 'created_at'
  | 'updated_at'
  | 'deleted_at'
>;

/**
 * Converts fields to columns; null clears a field, an undefined column does not change.
 * @throws AppError `request.invalid` for an unsafe URL, an object that is too large, or a live link with a test key.
 */
export function columnsOf(
  input: UpdateLinkInput,
  actor: Pick<Actor, 'mode'>,
  nowMs: number,
): { [Column in keyof Settable]: Settable[Column] | undefined } {
  checkDestinations(input);
  checkWebAddress('ogImage', input.ogImage);
  checkWebAddress('expiredUrl', input.expiredUrl);
  checkRules(input.rules ?? []);
  const { sandbox } = input;
  const path = input.path?.replace(/^\//, '') ?? input.path;
  checkPath(path);
  return {
    deep_link_path: input.deepLinkPath,
    deep_link_params: objectText('deepLinkParams', input.deepLinkParams),
    campaign_id: input.campaignId,
    ios_destination: input.iosDestination,
    android_destination: input.androidDestination,
    fallback_url: input.fallbackUrl,
    og_title: input.ogTitle,
    og_description: input.ogDescription,
    og_image: input.ogImage,
    landing_page: input.landingPage,
    metadata: objectText('metadata', input.metadata),
    sandbox: sandbox === undefined ? undefined : sandboxOf(sandbox, actor),
    expires_at: expiryOf(input, nowMs),
    title: input.title && (oneLine(input.title) || null),
    tags: listText(input.tags && tagsOf(input.tags)),
    path,
    pass_path: flagOf(input.passPath),
    rules: listText(input.rules),
    pass_query: input.passQuery && JSON.stringify(input.passQuery),
    expired_url: input.expiredUrl,
    gone_when_expired: flagOf(input.goneWhenExpired),
    min_app_version: input.minAppVersion && JSON.stringify(input.minAppVersion),
  };
}

function expiryOf(
  { expiresInDays: days, expiresAt: at }: UpdateLinkInput,
  nowMs: number,
): string | null | undefined {
  if (typeof days === 'number' && typeof at === 'string')
    throw new AppError('request.invalid', {
      message: 'expiresInDays and expiresAt exclude each other. Send one of them.',
    });
  if (typeof days === 'number') return isoTime(nowMs + days * DAY_MS);
  if (typeof at !== 'string') return days === undefined ? at : days;
  const ms = isMoment(at) ? Date.parse(at) : Number.NaN;
  if (!(ms >= 0 && ms <= LATEST_MS))
    throw new AppError('request.invalid', {
      message: 'expiresAt must be a date-time with a zone, from 1970 to 9999, such as 2026-12-31T23:59:59Z.',
    });
  return isoTime(ms);
}

function sandboxOf(sandbox: boolean | null, { mode }: Pick<Actor, 'mode'>): Flag {
  if (mode === 'test' && sandbox === false)
    throw new AppError('request.invalid', {
      message:
        'sandbox must be true with a test key, which reaches sandbox links only. Use the secret live key (svc_live_…) for a live link.',
    });
  return toFlag(sandbox ?? mode === 'test');
}

/** Null clears a flag: it is not set. */
function flagOf(value: boolean | null | undefined): Flag | undefined {
  return value === undefined ? undefined : toFlag(value ?? false);
}

function listText(list: readonly unknown[] | null | undefined): string | undefined {
  return list === undefined ? undefined : JSON.stringify(list ?? []);
}

function objectText(field: string, object: Record<string, unknown> | null | undefined): string | undefined {
  if (object === undefined) return undefined;
  const text = JSON.stringify(object ?? {});
  if (Buffer.byteLength(text) > MAX_OBJECT_BYTES)
    throw new AppError('request.invalid', { message: `${field} must be at most 16 KiB as JSON.` });
  return text;
}
