import type { Config } from '../platform/config.ts';
import { type AppsTable, toFlag } from '../platform/db/index.ts';
import { checkDestinations } from '../platform/web-address.ts';
import type { UpdateAppInput } from './schemas.ts';
import { ownHostOf } from './short-link-host.ts';
import { checkUrlScheme } from './url-scheme.ts';

/**
 * The columns that an input names; what it leaves out is left out here too.
 * @throws AppError for an address that no browser should be sent to, a scheme or a host that cannot be one app's.
 */
export function columnsOf(config: Config, input: UpdateAppInput): Partial<AppsTable> {
  checkDestinations(input);
  checkUrlScheme(input.urlScheme);
  const {
    androidCertFingerprints: fingerprints,
    fingerprintIos: onIos,
    fingerprintAndroid: onAndroid,
    clipboardToken,
    shortLinkHost: host,
  } = input;
  return withoutUndefined({
    name: input.name,
    ios_bundle_id: input.iosBundleId,
    ios_team_id: input.iosTeamId,
    ios_app_store_id: input.iosAppStoreId,
    android_package: input.androidPackage,
    android_cert_fingerprints:
      fingerprints && JSON.stringify(fingerprints.map((print) => print.toUpperCase())),
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
    daily_event_limit: input.dailyEventLimit,
    daily_event_bytes: input.dailyEventBytes,
  });
}

function withoutUndefined<T extends object>(columns: T): Partial<T> {
  return Object.fromEntries(Object.entries(columns).filter(([, value]) => value !== undefined)) as Partial<T>;
}
