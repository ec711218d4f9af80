const START = 'http://host/console/';

/** Whether it is a page of the console, without the console's path, as browsers resolve it: `/..` and `/%2e%2e` leave it. */
export function isPath(next: string | undefined): next is string {
  if (next === undefined || !/^\/[!-~]*$/.test(next)) return false;
  const { href } = new URL(`${START}${next.slice(1)}`);
  // What follows two slashes may be taken for a host.
  return href.startsWith(START) && href[START.length] !== '/';
}
