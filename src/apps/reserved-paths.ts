/**
 * First segments of paths that belong to the service at every host: no link has them. A test compares the list with the
 * routes. New routes begin with one of these, or with `_`, so that no link ever loses its address.
 */
export const RESERVED_NAMES = [
  '.well-known',
  'console',
  'docs',
  'healthz',
  'l',
  'llms.txt',
  'metrics',
  'openapi.json',
  'readyz',
  'sdk',
  'v1',
  // Browsers, crawlers and old versions of iOS ask for them unbidden.
  'apple-app-site-association',
  'favicon.ico',
  'robots.txt',
  'sitemap.xml',
] as const;

const NAMES: ReadonlySet<string> = new Set(RESERVED_NAMES);
const RESERVED_START = '_';

/** @param path with or without a leading slash, query and further segments. */
export function isReservedPath(path: string): boolean {
  const start = path.startsWith('/') ? 1 : 0;
  if (path.startsWith(RESERVED_START, start)) return true;
  let end = start;
  while (end < path.length && path[end] !== '/' && path[end] !== '?') end += 1;
  return NAMES.has(path.slice(start, end));
}
