/** The address of a page of the console; its start for a path that leads elsewhere, as `/../v1` and `/%2e%2e/v1` do. */
export function consolePage(publicUrl: string, path: string): string {
  const start = new URL(`${publicUrl}/console/`).href;
  // As browsers resolve dots and backslashes.
  const { href } = new URL(`${start}${path.slice(1)}`);
  // What follows two slashes may be taken for a host.
  return href.startsWith(start) && href[start.length] !== '/' ? href : start;
}
