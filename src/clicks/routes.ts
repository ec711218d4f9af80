import { Type } from 'typebox';
import { SHORT_LINK_PATH } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api, Shortcut } from '../platform/http/server.ts';
import { visitorAddresses } from '../platform/http/visitor-address.ts';
import { TAP_ROUTE, type Tap } from './tap.ts';

/** The short link past the framework: this is the hottest path. */
export function shortLinks(ctx: Ctx, answer: (tap: Tap) => void): Shortcut {
  const addressOf = visitorAddresses(ctx);
  return (request, response, requestIdOf) => {
    const { method, url = '' } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(SHORT_LINK_PATH)) return false;
    const requestId = requestIdOf(request);
    answer({ shortCode: shortCodeOf(url), request, response, requestId, address: addressOf(request) });
    return true;
  };
}

/** Empty where it cannot even be read: such a link leads where every unknown code leads. */
function shortCodeOf(url: string): string {
  const queryStart = url.indexOf('?');
  const path = queryStart === -1 ? url : url.slice(0, queryStart);
  const code = path.slice(SHORT_LINK_PATH.length, path.endsWith('/') ? -1 : undefined);
  if (!code.includes('%')) return code;
  try {
    return decodeURIComponent(code);
  } catch {
    return '';
  }
}

/**
 * The short link for the framework: for the API's description, and for the spellings of its address that only the
 * framework's router knows to be one, such as `/%6c/hello`.
 */
export function redirectRoutes(api: Api, answer: (tap: Tap) => void): void {
  api.route({
    method: ['GET', 'HEAD'],
    url: TAP_ROUTE,
    schema: {
      tags: ['Redirect'],
      summary: 'Follow a short link',
      description:
        'Leads to the destination for the visitor’s platform. The click is on disk before the answer leaves. Where a bare redirect would lose the match, or landingPage is always, a browser gets a page that leads on. Where the link has no destination for the visitor: a small page. Programs that draw a card for a link in a chat get a page with Open Graph tags.',
      params: Type.Object({ shortCode: Type.String() }),
      response: {
        200: Type.String({
          description: 'The landing page, or what a card is drawn from',
        }),
        302: Type.Null({ description: 'The destination is in Location' }),
        ...errorAnswers(404, 410, 503),
      },
    },
    handler: (request, reply) => {
      reply.hijack();
      const { raw, id, ip, params } = request;
      answer({ shortCode: params.shortCode, request: raw, response: reply.raw, requestId: id, address: ip });
    },
  });
}
