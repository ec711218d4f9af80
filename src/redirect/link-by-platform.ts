import type { IncomingHttpHeaders } from 'node:http';
import type { Platform } from '../devices/index.ts';
import { type ResolvedLink, type RoutedLink, routeLink, type Visit, visitOfBrowser } from '../links/index.ts';
import { readClientHints } from './visitors/index.ts';

/** The link as its visitor gets it on a platform; null for computers and others. */
export type LinkByPlatform = (platform: Platform | null) => RoutedLink;

/** By platform, since the landing page may find that a computer is a tablet. */
export function linkByPlatform(
  link: ResolvedLink,
  headers: IncomingHttpHeaders,
  { id, atMs, country, query, rest }: Pick<Visit, 'id' | 'atMs' | 'country' | 'query' | 'rest'>,
): LinkByPlatform {
  // At each tap: a spread or a getter takes longer than the choice.
  const request = {
    id,
    atMs,
    country,
    query,
    rest,
    userAgent: headers['user-agent'] ?? null,
    acceptLanguage: headers['accept-language'] ?? null,
    platformVersion: () => readClientHints(headers).platformVersion,
  };
  return (platform) => routeLink(link, visitOfBrowser(request, platform));
}
