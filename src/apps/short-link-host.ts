import type { Config } from '../config.ts';
import { isUniqueViolation } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { AppRow } from './app.ts';

/** Normalizes a `Host` header or setting: lower case, without port and trailing dot. */
export function hostNameOf(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase();
}

/** Hosts that all apps share, normalized. */
export function sharedHostsOf({
  shortLinkUrl,
  publicUrl,
}: Pick<Config, 'shortLinkUrl' | 'publicUrl'>): string[] {
  return [shortLinkUrl, publicUrl].map((base) => hostNameOf(new URL(base).hostname));
}

/** The normalized host of an app. @throws AppError `request.invalid` for a host that all apps share. */
export function ownHostOf(config: Config, host: string): string {
  const name = hostNameOf(host);
  if (sharedHostsOf(config).includes(name))
    throw new AppError('request.invalid', {
      message: `shortLinkHost must not be ${name}, which all apps share (SHORT_LINK_URL, PUBLIC_URL). Choose another host name.`,
    });
  return name;
}

/** A unique violation on an app is always about its host: new ids are unique. */
export function rethrowHostTaken(error: unknown): never {
  throw isUniqueViolation(error) ? new AppError('app.host_taken', { cause: error }) : error;
}

/** Base URL of an app's short links, without a trailing slash: `SHORT_LINK_URL`, with the app's own host if it has one. */
export function shortLinkBase(
  { shortLinkUrl }: Config,
  { short_link_host: ownHost }: Pick<AppRow, 'short_link_host'>,
): string {
  if (ownHost === null) return shortLinkUrl;
  const base = new URL(shortLinkUrl);
  base.hostname = ownHost;
  return base.href.replace(/\/+$/, '');
}
