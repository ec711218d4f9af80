import type { FastifyReply } from 'fastify';

const API_PATH = '/v1/';
/** What chooses a response, or whose it is. */
const VARY = 'X-Api-Key, Authorization, Cookie, X-App-Id, Accept';
const VARY_OPEN = 'X-Api-Key, Origin';

/** No cache keeps a response of the API. `Vary` is for those that keep it nevertheless. */
export function forbidCaching(
  openPath: string,
  { url }: { readonly url: string },
  reply: FastifyReply,
): void {
  if (!url.startsWith(API_PATH)) return;
  reply.header('cache-control', 'no-store').header('vary', url.startsWith(openPath) ? VARY_OPEN : VARY);
}
