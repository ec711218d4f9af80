import { type Static, Type } from 'typebox';
import { Id, Named, NameText, Nullable, Text, Timestamp } from '../server/schemas.ts';
import {
  type AppRow,
  DAILY_EVENT_DEFAULTS,
  LANDING_PAGES,
  type LandingPage,
  THRESHOLD_PERCENT,
  WINDOW_DEFAULT_HOURS,
  WINDOW_MAX_HOURS,
} from './app.ts';
import { AppLinks, appLinksOf } from './app-links.ts';
import { FirebaseLongLinks, firebaseLongLinksOf } from './firebase-long-links.ts';

const Address = Type.String({ minLength: 1, maxLength: 2_048 });
/** Labels of at most 63 characters; the last begins with a letter, which excludes IP addresses. A port is ignored. */
const HOST_PATTERN =
  '^(?=.{1,253}(:[0-9]{1,5})?$)([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?[.])*[A-Za-z]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?(:[0-9]{1,5})?$';
const Hours = (max: number, fallback: number, description: string) =>
  Type.Integer({ minimum: 1, maximum: max, description: `${description} Default ${fallback}.` });
/** JSON numbers are exact up to `MAX_SAFE_INTEGER`. */
const Bound = (description: string) =>
  Nullable(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), { description });

const appFields = {
  name: NameText(255),
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
  iosDestination: Nullable(Address, { description: 'Default for links without one' }),
  androidDestination: Nullable(Address, { description: 'Default for links without one' }),
  fallbackUrl: Nullable(Address, { description: 'Default for links without one' }),
  landingPage: Type.Enum([...LANDING_PAGES], {
    description:
      'Whether phones get a page before the store; default for links without one. Default auto: where it improves matching.',
  }),
  clipboardToken: Type.Boolean({
    description:
      'Whether the landing page on iOS offers to copy a token that identifies the click to the app. Default false.',
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
    description: 'Match iOS installs by fingerprint. Default true.',
  }),
  fingerprintAndroid: Type.Boolean({
    description: 'Match Android installs by fingerprint. Default true.',
  }),
  fingerprintThreshold: Type.Number({
    minimum: THRESHOLD_PERCENT.min / 100,
    maximum: THRESHOLD_PERCENT.max / 100,
    description:
      'Least probability of a fingerprint match, with at most two decimals. Default 0.7. See docs/guide/accuracy.md.',
  }),
  measureAccuracy: Type.Boolean({
    description: 'Measure on installs with a certain match how often the fingerprint is right. Default true.',
  }),
  dailyEventLimit: Bound(`Events that the app may record in a UTC day. Null: ${DAILY_EVENT_DEFAULTS.limit}.`),
  dailyEventBytes: Bound(
    `Bytes of names, user IDs and properties of the events of a UTC day. Null: ${DAILY_EVENT_DEFAULTS.bytes}.`,
  ),
  rootUrl: Nullable(Address, { description: 'Where the root of the app’s own host leads. Null: 404.' }),
  notFoundUrl: Nullable(Address, {
    description: 'Where unknown paths and codes at the app’s own host lead. Null: 404.',
  }),
  firebaseLongLinks: Nullable(FirebaseLongLinks),
  appLinks: Nullable(AppLinks),
  appleAds: Type.Boolean({
    description: 'Whether tokens of Apple Ads are exchanged for what Apple knows of the ad. Default false.',
  }),
};

/** Write-only. */
const secretFields = {
  revenuecatAuthorization: Nullable(
    Text(
      '^(?! )[ -~]{24,255}(?<! )$',
      '24 to 255 characters of ASCII as RevenueCat sends them in Authorization, without spaces at the ends',
    ),
  ),
  metaReferrerKey: Nullable(
    Text(
      '^[0-9A-Fa-f]{64}$',
      '64 hexadecimal characters, as Meta’s app dashboard has them as Install Referrer Decryption Key; never in a response',
    ),
  ),
};
const writtenFields = { ...appFields, ...secretFields };

const { name, ...optionalFields } = writtenFields;
/** `columnsOf` checks destinations, the URL scheme and the host. */
export const CreateApp = Named('CreateApp', {
  name,
  ...Type.Partial(Type.Object(optionalFields)).properties,
});
/** Omitted fields stay, null clears. */
export const UpdateApp = Type.Partial(Type.Object(writtenFields), { title: 'UpdateApp' });
export type CreateAppInput = Static<typeof CreateApp>;
export type UpdateAppInput = Static<typeof UpdateApp>;

export const App = Named('App', {
  id: Id,
  ...appFields,
  revenuecatEnabled: Type.Boolean({ description: 'Whether revenuecatAuthorization is set' }),
  hasMetaReferrerKey: Type.Boolean({ description: 'Whether `metaReferrerKey` is set' }),
  ...{ createdAt: Timestamp, updatedAt: Timestamp },
});

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
    fingerprintThreshold: row.fingerprint_threshold_percent / 100,
    measureAccuracy: row.measure_accuracy === 1,
    dailyEventLimit: row.daily_event_limit,
    dailyEventBytes: row.daily_event_bytes,
    rootUrl: row.root_url,
    notFoundUrl: row.not_found_url,
    firebaseLongLinks: firebaseLongLinksOf(row),
    appLinks: appLinksOf(row),
    revenuecatEnabled: row.revenuecat_key !== null,
    appleAds: row.apple_ads === 1,
    hasMetaReferrerKey: row.meta_referrer_key !== null,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}
