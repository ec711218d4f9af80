import type { IncomingHttpHeaders } from 'node:http';
import type { Config } from '../config.ts';
import { AppError } from '../errors.ts';

/** `none` is a navigation by the user, such as a bookmark. */
const OWN_SITES: readonly unknown[] = ['same-origin', 'none', undefined];

/** Refuses requests that a page of another origin caused. @throws AppError `session.cross_site`. */
export function refuseCrossSite({ publicUrl }: Config, headers: IncomingHttpHeaders): void {
  const { origin } = headers;
  const isOwn =
    OWN_SITES.includes(headers['sec-fetch-site']) &&
    (origin === undefined || origin === new URL(publicUrl).origin);
  if (!isOwn)
    throw new AppError('session.cross_site', {
      message: `A page of another origin made this request. Open the console at ${publicUrl}/console, or set PUBLIC_URL to the address in use.`,
    });
}
