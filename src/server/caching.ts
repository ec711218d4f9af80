import type { FastifyReply } from 'fastify';

const API_PATH = /^\/v1([/?#]|$)/;
/** What chooses a response, or whose it is. */
const VARY = 'X-Api-Key, Authorization, Cookie, X-App-Id, Accept';
const VARY_OPEN = 'X-Api-Key, Origin';

/** As the router reads it: `/%761/x` is `/v1/x`. */
export function routedPath(url: string): string {
  return url.replaceAll(/%[0-7][0-9a-f]/gi, (escaped) =>
    String.fromCharCode(Number.parseInt(escaped.slice(1), 16)),
  );
}

/** No cache keeps a response of the API. `Vary` is for those that keep it nevertheless. */
export function forbidCaching(
  openPath: string,
  { url }: { readonly url: string },
  reply: FastifyReply,
): void {
  const path = routedPath(url);
  if (!API_PATH.test(path)) return;
  reply.header('cache-control', 'no-store').header('vary', path.startsWith(openPath) ? VARY_OPEN : VARY);
}
