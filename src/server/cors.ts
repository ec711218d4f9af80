/** Cross-origin access by pages in browsers. Own code: `@fastify/cors` adds a route for all paths, and misses unknown ones. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { routedPath } from './caching.ts';

const DAY_SECONDS = 86_400;

/** The same for every origin and request. Without credentials: no cookie opens these paths. */
const HEADERS = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers':
    'ETag, X-Request-Id, X-Service-Error, Retry-After, RateLimit, RateLimit-Policy',
};

const PREFLIGHT_HEADERS = {
  'access-control-allow-methods': 'GET, POST',
  'access-control-allow-headers': 'X-Api-Key, Content-Type, If-None-Match, Idempotency-Key, X-Request-Id',
  'access-control-max-age': DAY_SECONDS,
};

/**
 * Lets pages of any origin call the paths below `openPath` and read the answers, errors too.
 * @returns true if it has answered: a preflight, which carries no key.
 */
export function allowOrigins(
  openPath: string,
  request: Pick<FastifyRequest, 'url' | 'method'>,
  reply: FastifyReply,
): boolean {
  if (!routedPath(request.url).startsWith(openPath)) return false;
  reply.headers(HEADERS);
  if (request.method !== 'OPTIONS') return false;
  reply.code(204).headers(PREFLIGHT_HEADERS).send();
  return true;
}
