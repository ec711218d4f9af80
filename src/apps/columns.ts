import type { Config } from '../config.ts';
import { toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { checkWebAddress } from '../lib/web-address.ts';
import { type AppRow, checkDestinations, revenuecatKeyOf } from './app.ts';
import { appLinksText } from './app-links.ts';
import { firebaseLongLinksText } from './firebase-long-links.ts';
import type { UpdateAppInput } from './schemas.ts';
import { ownHostOf } from './short-link-host.ts';

/** Schemes of browsers and systems. */
const RESERVED_SCHEMES = new Set([
  ...['http', 'https', 'ftp', 'ws', 'wss', 'file', 'filesystem', 'about', 'blob', 'data', 'javascript'],
  ...['vbscript', 'content', 'intent', 'android-app', 'view-source', 'chrome', 'googlechrome', 'market'],
  ...['itms', 'itms-apps', 'itms-services', 'app-settings', 'prefs', 'shortcuts', 'x-safari-https'],
  ...['mailto', 'tel', 'sms', 'facetime', 'geo', 'maps', 'webcal'],
]);

/**
 * The columns of the given fields.
 * @throws AppError `request.invalid` for an invalid destination or threshold, a reserved URL scheme or a shared host.
 */
export function columnsOf(config: Config, input: UpdateAppInput): Partial<AppRow> {
  checkDestinations(input);
  checkUrlScheme(input.urlScheme);
  checkWebAddress('rootUrl', input.rootUrl);
  checkWebAddress('notFoundUrl', input.notFoundUrl);
  const {
    androidCertFingerprints: fingerprints,
    fingerprintIos: onIos,
    fingerprintAndroid: onAndroid,
    clipboardToken,
    appleAds,
    measureAccuracy,
    shortLinkHost: host,
    revenuecatAuthorization: authorization,
  } = input;
  return withoutUndefined({
    name: input.name,
    ios_bundle_id: input.iosBundleId,
    ios_team_id: input.iosTeamId,
    ios_app_store_id: input.iosAppStoreId,
    android_package: input.androidPackage,
    android_cert_fingerprints:
      fingerprints && JSON.stringify(fingerprints.map((fingerprint) => fingerprint.toUpperCase())),
    url_scheme: input.urlScheme,
    short_link_host: host && ownHostOf(config, host),
    ios_destination: input.iosDestination,
    android_destination: input.androidDestination,
    fallback_url: input.fallbackUrl,
    landing_page: input.landingPage,
    clipboard_token: clipboardToken === undefined ? undefined : toFlag(clipboardToken),
    referrer_window_hours: input.referrerWindowHours,
    click_id_window_hours: input.clickIdWindowHours,
    fingerprint_window_hours: input.fingerprintWindowHours,
    fingerprint_ios: onIos === undefined ? undefined : toFlag(onIos),
    fingerprint_android: onAndroid === undefined ? undefined : toFlag(onAndroid),
    fingerprint_threshold_percent: thresholdPercentOf(input.fingerprintThreshold),
    measure_accuracy: measureAccuracy === undefined ? undefined : toFlag(measureAccuracy),
    daily_event_limit: input.dailyEventLimit,
    daily_event_bytes: input.dailyEventBytes,
    root_url: input.rootUrl,
    not_found_url: input.notFoundUrl,
    firebase_long_links: input.firebaseLongLinks && firebaseLongLinksText(input.firebaseLongLinks),
    app_links: input.appLinks && appLinksText(input.appLinks),
    revenuecat_key: authorization && revenuecatKeyOf(authorization),
    apple_ads: appleAds === undefined ? undefined : toFlag(appleAds),
  });
}

/** Hundredths, since installs are counted by hundredths to tell what another threshold would have done. */
function thresholdPercentOf(threshold: number | undefined): number | undefined {
  if (threshold === undefined) return undefined;
  const percent = Math.round(threshold * 100);
  if (percent / 100 === threshold) return percent;
  throw new AppError('request.invalid', {
    message: 'fingerprintThreshold has at most two decimals, such as 0.75.',
  });
}

function checkUrlScheme(scheme: string | null | undefined): void {
  if (!RESERVED_SCHEMES.has((scheme ?? '').toLowerCase())) return;
  throw new AppError('request.invalid', {
    message: `urlScheme must be the app’s own, such as shop: ${scheme} is reserved by browsers or systems.`,
  });
}

function withoutUndefined<T extends object>(columns: T): Partial<T> {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<T>;
}
