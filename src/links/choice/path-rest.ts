/** What follows a link's own address, with `passPath`. */

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
