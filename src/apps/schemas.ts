import { type Static, Type } from 'typebox';
import type { ApiKeysTable } from '../platform/db/index.ts';
import { Id, Nullable, Text, Timestamp } from '../platform/http/schemas.ts';
import {
  type AppRow,
  DAILY_EVENT_DEFAULTS,
  LANDING_PAGES,
  type LandingPage,
  WINDOW_DEFAULT_HOURS,
  WINDOW_MAX_HOURS,
} from './app.ts';
import { KEY_KINDS } from './key.ts';

const Address = Type.String({ minLength: 1, maxLength: 2_048 });
/**
 * Labels of at most 63 characters, of which the last begins with a letter, so that no address is one; a port is taken,
 * and left out.
 */
const HOST_PATTERN =
  '^(?=.{1,253}(:[0-9]{1,5})?$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?[.])*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(:[0-9]{1,5})?$';
const Hours = (max: number, fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: max, description: `${description} Default ${fallback}.` });
/** JSON numbers are exact to there. */
const Bound = (description: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), { description });

const appFields = {
  name: Type.String({ minLength: 1, maxLength: 255 }),
  iosBundleId: Nullable(Text('^[A-Za-z0-9.-]{1,255}$', '1 to 255 of A-Z a-z 0-9 . -')),
  iosTeamId: Nullable(Text('^[A-Za-z0-9]{1,32}$', '1 to 32 of A-Z a-z 0-9')),
  iosAppStoreId: Nullable(Text('^[1-9][0-9]{0,19}$', '1 to 20 digits, the first of them not 0')),
  androidPackage: Nullable(Text('^[A-Za-z0-9_.]{1,255}$', '1 to 255 of A-Z a-z 0-9 . _')),
  androidCertFingerprints: Type.Array(
    Text(
      '^([0-9A-Fa-f]{2}:){31}[0-9A-Fa-f]{2}$',
      'a SHA-256 fingerprint: 32 pairs of 0-9 A-F with colons between, as AA:BB:…',
    ),
    { maxItems: 20 },
  ),
  urlScheme: Nullable(Text('^[A-Za-z][A-Za-z0-9+.-]{0,63}$', 'a letter, then up to 63 of A-Z a-z 0-9 + . -')),
  shortLinkHost: Nullable(
    Text(HOST_PATTERN, 'a host name such as go.example.com, without https:// and without a path'),
  ),
  iosDestination: Nullable(Address, { description: 'For links that name none of their own' }),
  androidDestination: Nullable(Address, { description: 'For links that name none of their own' }),
  fallbackUrl: Nullable(Address, { description: 'For links that name none of their own' }),
  landingPage: Type.Enum([...LANDING_PAGES], {
    description:
      'Whether visitors on phones see a page before the store, for links that say nothing themselves. Default auto: where it helps.',
  }),
  clipboardToken: Type.Boolean({
    description:
      'Whether the landing page on iOS offers to copy a token by which the app finds its click. Default false.',
  }),
  referrerWindowHours: Hours(
    WINDOW_MAX_HOURS.referrer,
    WINDOW_DEFAULT_HOURS.referrer,
    'Click to install by referrer.',
  ),
  clickIdWindowHours: Hours(
    WINDOW_MAX_HOURS.clickId,
    WINDOW_DEFAULT_HOURS.clickId,
    'Click to install by click ID.',
  ),
  fingerprintWindowHours: Hours(
    WINDOW_MAX_HOURS.fingerprint,
    WINDOW_DEFAULT_HOURS.fingerprint,
    'Click to install by fingerprint.',
  ),
  fingerprintIos: Type.Boolean({
    description: 'Whether iOS installs are matched by fingerprint. Default true.',
  }),
  fingerprintAndroid: Type.Boolean({
    description: 'Whether Android installs are matched by fingerprint. Default true.',
  }),
  dailyEventLimit: Bound(`Events that the app may record in a UTC day. Null: ${DAILY_EVENT_DEFAULTS.limit}.`),
  dailyEventBytes: Bound(
    `Bytes of names, user IDs and properties of the events of a UTC day. Null: ${DAILY_EVENT_DEFAULTS.bytes}.`,
  ),
};

const { name, ...optionalFields } = appFields;
/** Body of `POST /v1/admin/apps`. Addresses, the scheme and the host are checked by `columnsOf`. */
export const CreateApp = Type.Object({ name, ...Type.Partial(Type.Object(optionalFields)).properties });
/** Body of `PATCH /v1/admin/apps/{appId}`: what is left out stays, null clears. */
export const UpdateApp = Type.Partial(Type.Object(appFields));
export type CreateAppInput = Static<typeof CreateApp>;
export type UpdateAppInput = Static<typeof UpdateApp>;

/** An app, as the admin API answers. */
export const App = Type.Object({ id: Id, ...appFields, createdAt: Timestamp, updatedAt: Timestamp });

const keyFields = {
  id: Id,
  kind: Type.Enum([...KEY_KINDS]),
  hint: Type.String({ description: 'The first and the last characters of the key' }),
  createdAt: Timestamp,
  lastUsedAt: Nullable(Timestamp),
  revokedAt: Nullable(Timestamp),
};
/** A key in answers, told from others by its hint. */
export const Key = Type.Object(keyFields);
/** Answer of `POST /v1/admin/apps/{appId}/keys`, the only one with the key itself. */
export const NewKey = Type.Object({ ...keyFields, key: Type.String({ description: 'Shown this once' }) });
/** Body of `POST /v1/admin/apps/{appId}/keys`. */
export const CreateKey = Type.Object({ kind: Type.Enum([...KEY_KINDS]) });

/** Without the revision of its links, which is the server's own. */
export function presentApp(row: AppRow): Static<typeof App> {
  return {
    id: row.id,
    name: row.name,
    iosBundleId: row.ios_bundle_id,
    iosTeamId: row.ios_team_id,
    iosAppStoreId: row.ios_app_store_id,
    androidPackage: row.android_package,
    androidCertFingerprints: JSON.parse(row.android_cert_fingerprints) as string[],
    urlScheme: row.url_scheme,
    shortLinkHost: row.short_link_host,
    iosDestination: row.ios_destination,
    androidDestination: row.android_destination,
    fallbackUrl: row.fallback_url,
    landingPage: row.landing_page as LandingPage,
    clipboardToken: row.clipboard_token === 1,
    referrerWindowHours: row.referrer_window_hours,
    clickIdWindowHours: row.click_id_window_hours,
    fingerprintWindowHours: row.fingerprint_window_hours,
    fingerprintIos: row.fingerprint_ios === 1,
    fingerprintAndroid: row.fingerprint_android === 1,
    dailyEventLimit: row.daily_event_limit,
    dailyEventBytes: row.daily_event_bytes,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

/** Without its hash. */
export function presentKey(row: ApiKeysTable): Static<typeof Key> {
  return {
    id: row.id,
    kind: row.kind as Static<typeof Key>['kind'],
    hint: row.hint,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    revokedAt: row.revoked_at,
  };
}
