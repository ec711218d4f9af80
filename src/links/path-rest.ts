/** What follows a link's own address, with `passPath`. */

const MAX_CHARACTERS = 512;
/** `.` and `..`, also as browsers read them in an address (https://url.spec.whatwg.org/#single-dot-path-segment). */
const DOTS = /^(?:\.|%2e){1,2}$/i;
const FORBIDDEN = /[\\\p{Cc}]/u;

/**
 * Decodes the rest of an address once, without slashes at its ends or in a row.
 * @returns null for one that no link may carry on: it is too long, leads upwards, or is malformed.
 */
export function readRest(encoded: string): string | null {
  const rest = decoded(encoded);
  if (rest === null || FORBIDDEN.test(rest)) return null;
  const segments = rest.split('/').filter((segment) => segment !== '');
  if (segments.some((segment) => DOTS.test(segment))) return null;
  const text = segments.join('/');
  return text.length <= MAX_CHARACTERS ? text : null;
}

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null;
  }
}

/** Before a query or fragment of the path; those of the rest stay part of the path. */
export function appendRest(deepLinkPath: string, rest: string): string {
  if (rest === '') return deepLinkPath;
  const end = deepLinkPath.search(/[?#]/);
  const path = end === -1 ? deepLinkPath : deepLinkPath.slice(0, end);
  const added = rest.replaceAll('?', '%3F').replaceAll('#', '%23');
  return `${path.replace(/\/+$/, '')}/${added}${deepLinkPath.slice(path.length)}`;
}

/** At the end of the address's path. */
export function appendRestTo(url: URL, rest: string): void {
  if (rest === '') return;
  const segments = rest.split('/').map(encodeURIComponent);
  url.pathname = [url.pathname.replace(/\/+$/, ''), ...segments].join('/');
}
