/** Reads the path of a request, or of a pasted URL, as the address of a link. Pure. */

import { detachString } from '../../lib/text.ts';

/** Path prefix of short links. */
export const SHORT_LINK_PATH = '/l/';

/** What a path names: a link by its short code, or by its own path at an app's own host. */
export type LinkAddress =
  | { readonly kind: 'code'; readonly code: string; readonly rest: string | null }
  /** Without a slash at its start and end; empty at the root. */
  | { readonly kind: 'path'; readonly path: string };

export const MAX_PATH_CHARACTERS = 255;
const MAX_PATH_SEGMENTS = 5;
/** Of a link's `path`; a leading slash is accepted and not stored. */
export const LINK_PATH_PATTERN = '^(?=.{0,255}$)(/?[A-Za-z0-9._~-]+(/[A-Za-z0-9._~-]+){0,4})?$';
/** Of what may follow the address of a link with `passPath`. */
export const MAX_REST_CHARACTERS = 512;
/** With a slash at the start, between both and at the end. */
const MAX_ADDRESS_CHARACTERS = MAX_PATH_CHARACTERS + MAX_REST_CHARACTERS + '///'.length;

/** The first segment of short links by code. */
const CODES = 'l';
const PLAIN_CODE = /^\/l\/([A-Za-z0-9_-]+)\/?$/;
/** `.` and `..`, also as browsers read them in an address (https://url.spec.whatwg.org/#single-dot-path-segment). */
const DOTS = /^(?:\.|%2e){1,2}$/i;
const FORBIDDEN = /[\\\p{Cc}]/u;

/**
 * Decodes escapes once. Empty segments do not count: they come of addresses that were put together with a slash too many.
 * @param path without a query.
 * @returns null for a path that no link has: with a malformed escape, `..`, or too long.
 */
export function readLinkAddress(path: string): LinkAddress | null {
  // Most taps; the rest takes ten times as long.
  const plain = PLAIN_CODE.exec(path);
  if (plain !== null) return { kind: 'code', code: plain[1] ?? '', rest: null };
  const decoded = decodePath(path);
  if (decoded === null || decoded.length > MAX_ADDRESS_CHARACTERS) return null;
  const segments = decoded.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => DOTS.test(segment))) return null;
  if (segments[0] === CODES && segments.length > 1) return codeAddress(segments.slice(1));
  return { kind: 'path', path: segments.join('/') };
}

function codeAddress([code = '', ...more]: readonly string[]): LinkAddress | null {
  const rest = more.length === 0 ? null : more.join('/');
  return rest !== null && rest.length > MAX_REST_CHARACTERS ? null : { kind: 'code', code, rest };
}

/** @returns null for a malformed escape, a control character or a backslash, which browsers read as a slash. */
function decodePath(path: string): string | null {
  try {
    const decoded = path.includes('%') ? decodeURIComponent(path) : path;
    return FORBIDDEN.test(decoded) ? null : decoded;
  } catch {
    return null;
  }
}

/** A path and what follows it. */
interface Split {
  readonly path: string;
  readonly rest: string;
}

/** The shorter paths that may belong to a link with `passPath`, longest first. */
export function prefixesOf(path: string): Split[] {
  const splits: Split[] = [];
  let segments = 0;
  for (
    let end = path.indexOf('/');
    end !== -1 && end <= MAX_PATH_CHARACTERS;
    end = path.indexOf('/', end + 1)
  ) {
    segments += 1;
    if (segments > MAX_PATH_SEGMENTS) break;
    const rest = path.slice(end + 1);
    if (rest.length <= MAX_REST_CHARACTERS)
      splits.unshift({ path: path.slice(0, end), rest: detachString(rest) });
  }
  return splits;
}

/** Path of a base address, such as `SHORT_LINK_URL`, without a slash at its end. */
export function prefixOf(base: string): string {
  return new URL(base).pathname.replace(/\/+$/, '');
}

/**
 * Reads the path of a URL below one of the prefixes: that of a short code, if there is one, else below the first prefix.
 * @returns undefined for a path below none of them, null as `readLinkAddress`.
 */
export function readAddressBelow(prefixes: readonly string[], path: string): LinkAddress | null | undefined {
  const addresses = [...new Set(prefixes)]
    .filter((prefix) => path === prefix || path.startsWith(`${prefix}/`))
    .map((prefix) => readLinkAddress(path.slice(prefix.length)));
  return addresses.find((address) => address?.kind === 'code') ?? addresses[0];
}

/** Where people ask for a link: in their own words of it. */
export interface NamedLink {
  readonly code: string | null;
  readonly path: string | null;
}

/** Reads a short code, a path or a whole short URL, which may lack its scheme. Of `hello` both are possible. */
export function readNamedLink(text: string): NamedLink {
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  const address = readLinkAddress(url === null ? withoutHost(text) : url.pathname);
  const path = address?.kind === 'path' && address.path !== '' ? address.path : null;
  if (url === null && path !== null && !/[/.~]/.test(path)) return { code: path, path };
  // A proxy may put a path before that of the service.
  const [, codeBelow = null] = /\/l\/([A-Za-z0-9_-]+)\/?$/.exec(url?.pathname ?? '') ?? [];
  return { code: address?.kind === 'code' ? address.code : codeBelow, path };
}

function withoutHost(text: string): string {
  const [, path] = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.[a-z]{2,}(?::\d+)?(\/[^?#]*)/i.exec(text) ?? [];
  return path ?? text;
}
