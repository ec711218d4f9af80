/** The path of a link at the root of its app's own host, as somebody types it. */
import { isReservedPath } from '../../../../src/apps/reserved-paths.ts';

const MAX_CHARACTERS = 255;
const MAX_SEGMENTS = 5;

/** Without scheme, host and slashes at either end; null for an empty text. */
export function pathTyped(text: string, host: string): string | null {
  const rest = text.trim().replace(/^https?:\/\//i, '');
  const own = rest.toLowerCase().startsWith(`${host.toLowerCase()}/`) ? rest.slice(host.length) : text.trim();
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
