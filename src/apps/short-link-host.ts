import type { Config } from '../platform/config.ts';
import { isUniqueViolation } from '../platform/db/index.ts';
import { AppError } from '../platform/errors.ts';
import type { AppRow } from './app.ts';

/** The host name in a `Host` header or a setting: in lower case, without a port and without the dot of the root. */
export function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/**
 * The host name that an app may have for itself.
 * @throws AppError `request.invalid` for a host where every app's links are.
 */
export function ownHostOf(config: Config, host: string): string {
  const name = hostNameOf(host);
  const ofAllApps = [config.shortLinkUrl, config.publicUrl].map((base) => new URL(base).hostname);
  if (ofAllApps.includes(name))
    throw new AppError('request.invalid', {
      message: `shortLinkHost must not be ${name}, where all apps have their links (SHORT_LINK_URL, PUBLIC_URL). Choose another host name.`,
    });
  return name;
}

/** Rethrows what a statement on an app threw: beside its id, nothing of an app is unique but its host. */
export function refuseTakenHost(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError('app.host_taken', { cause: error }) : error;
}

/** Base address of an app's short links, without a trailing slash: `SHORT_LINK_URL`, at the app's own host if it has one. */
export function shortLinkBase(
  { shortLinkUrl }: Config,
  { short_link_host: ownHost }: Pick<AppRow, 'short_link_host'>,
): string {
  if (ownHost === null) return shortLinkUrl;
  const base = new URL(shortLinkUrl);
  base.hostname = ownHost;
  return base.href.replace(/\/+$/, '');
}
