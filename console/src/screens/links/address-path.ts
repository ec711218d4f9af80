/** The path of a link at the root of its app's own host, as somebody types it. */
import type { Link } from '@generated/types.gen.ts';
import { isReservedPath } from '../../../../src/apps/reserved-paths.ts';

const MAX_CHARACTERS = 255;
const MAX_SEGMENTS = 5;

type Addressed = Pick<Link, 'shortCode' | 'shortUrl' | 'path'>;

/** What its short URL ends with: `/l/CODE`, or `/PATH` at a host of the app's own. */
export function endOf({ shortCode, shortUrl, path }: Addressed): string {
  const end = `/l/${shortCode}`;
  return shortUrl.endsWith(end) ? end : `/${path}`;
}

/** What its short URL begins with, whichever of the service's hosts it has; without a trailing slash. */
export function baseOf(link: Addressed): string {
  return link.shortUrl.slice(0, -endOf(link).length);
}

/**
 * URL of the app's short links at its own host, without a trailing slash: scheme, port and folder are those of a
 * link of the app, or of the service while the app has none.
 */
export function baseAt(
  host: string,
  { link, serviceUrl }: { link: Addressed | undefined; serviceUrl: string },
): string {
  const base = new URL(link === undefined ? serviceUrl : baseOf(link));
  base.hostname = host;
  return base.href.replace(/\/+$/, '');
}

/** Without scheme, host and slashes at either end; null for an empty text. @param base of the app's short links. */
export function pathTyped(text: string, base: string): string | null {
  const rest = text.trim().replace(/^https?:\/\//i, '');
  const { host, hostname, pathname } = new URL(base);
  const start = [`${host}${pathname.replace(/\/$/, '')}/`, `${host}/`, `${hostname}/`].find((each) =>
    rest.toLowerCase().startsWith(each.toLowerCase()),
  );
  const own = start === undefined ? text.trim() : rest.slice(start.length);
  const path = own.replace(/^\/+|\/+$/g, '');
  return path === '' ? null : path;
}

/** Why the service would refuse it, in words; null for a path that it takes. */
export function wrongPath(path: string): string | null {
  const segments = path.split('/');
  if (/^https?:/i.test(path))
    return 'This is an address of another host. Write the path alone, such as summer/sale.';
  if (/\s/.test(path)) return 'A path has no spaces. Write - in their place, such as summer-sale.';
  const letter = /[^A-Za-z0-9._~/-]/u.exec(path)?.[0];
  if (letter !== undefined)
    return `A path has no ${letter}, since people type it from paper: letters from A to Z, digits, . _ ~ - and / alone.`;
  if (segments.includes('')) return 'Two slashes follow each other. Remove one.';
  if (segments.some((segment) => segment === '.' || segment === '..'))
    return 'Browsers take parts that are . or .. for other folders. Leave them out.';
  if (segments.length > MAX_SEGMENTS) return `A path has at most ${MAX_SEGMENTS} parts between slashes.`;
  if (path.length > MAX_CHARACTERS)
    return `A path has at most ${MAX_CHARACTERS} characters; this has ${path.length}.`;
  if (isReservedPath(path))
    return `What begins with ${segments[0]} belongs to the service. Choose another beginning.`;
  return null;
}
