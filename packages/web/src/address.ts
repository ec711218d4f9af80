/** Addresses of short links. Pure. */
const CODE = /^[\w-]{3,64}$/;
const PATH = /^(?=.{2,256}$)(\/(?!\.\.?(\/|$))[\w.~-]+){1,5}$/;
/** What the service refuses after a link’s own address. */
const REFUSED = /\/(\.|%2e){1,2}(\/|$)|[\\\p{Cc}]/iu;

/** With the slash before it. */
const MAX_REST_CHARACTERS = 513;

/** A function is asked at the tap, for pages that change their address. */
export type DeepLinkPath = string | (() => string);

/** @param host `go.example.com`, or with a scheme and a path, as in the service’s `SHORT_LINK_URL`. */
export function baseOf(host: string): string {
  const { origin, pathname } = new URL(host.replace(/^(?!https?:)/i, 'https://'));
  return origin + pathname.replace(/\/+$/, '');
}

/** @param code a short code, a path such as `/summer`, or the short URL. */
export function addressOf(base: string, code: string): string {
  const path = code.startsWith(`${base}/`) ? code.slice(base.length) : code;
  if (PATH.test(path)) return base + path;
  if (CODE.test(path)) return `${base}/l/${path}`;
  throw new Error(`"${code}" is no code, /path or short URL of ${base}`);
}

/**
 * What follows the address of a link with `passPath`, and the query of the path. A path that the service would refuse is
 * left out, so that the link still works.
 */
export function restOf(deepLinkPath: DeepLinkPath = ''): {
  readonly rest: string;
  readonly query: URLSearchParams;
} {
  const { pathname, searchParams } = new URL(
    `https://x/${(typeof deepLinkPath === 'function' ? deepLinkPath() : deepLinkPath).slice(0, 2_048).replace(/%(?![\da-f]{2})/gi, '%25')}`,
  );
  let rest = pathname.replace(/\/+(?=\/|$)/g, '');
  try {
    const decoded = decodeURIComponent(rest);
    if (decoded.length > MAX_REST_CHARACTERS || REFUSED.test(decoded)) rest = '';
  } catch {
    rest = '';
  }
  return { rest, query: searchParams };
}
