import type { IncomingMessage, ServerResponse } from 'node:http';
import { Type } from 'typebox';
import type { Foundation } from '../foundation.ts';
import { decodeShortCode, readRest, SHORT_LINK_PATH } from '../links/index.ts';
import { clientAddresses } from '../server/client-address.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api, Shortcut } from '../server/server.ts';

/** A request that follows a short link. Its stored record is a click. */
export interface Tap {
  readonly shortCode: string;
  /** What follows the code, decoded; empty if nothing does, null if no link may have it. */
  readonly rest: string | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The visitor's IP address, behind trusted proxies. */
  readonly address: string | undefined;
}

/** Route name in OpenAPI, metrics and logs. */
export const TAP_ROUTE = `${SHORT_LINK_PATH}:shortCode`;

/** Handles taps before Fastify, whose routing and hooks take longer than the tap itself. */
export function shortLinks({ config }: Pick<Foundation, 'config'>, handleTap: (tap: Tap) => void): Shortcut {
  const addressOf = clientAddresses({ config });
  return (request, response, requestIdOf) => {
    const { method, url = '' } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(SHORT_LINK_PATH)) return false;
    const requestId = requestIdOf(request);
    handleTap({ ...placeOf(url), request, response, requestId, address: addressOf(request) });
    return true;
  };
}

function placeOf(url: string): Pick<Tap, 'shortCode' | 'rest'> {
  const queryStart = url.indexOf('?');
  const path = url.slice(SHORT_LINK_PATH.length, queryStart === -1 ? undefined : queryStart);
  const end = path.indexOf('/');
  if (end === -1) return { shortCode: decodeShortCode(path), rest: '' };
  return { shortCode: decodeShortCode(path.slice(0, end)), rest: readRest(path.slice(end)) };
}

/** The Fastify route, for OpenAPI and for escaped paths such as `/%6c/hello` that only Fastify's router decodes. */
export function redirectRoutes(api: Api, handleTap: (tap: Tap) => void): void {
  api.route({
    method: ['GET', 'HEAD'],
    url: TAP_ROUTE,
    schema: {
      operationId: 'followLink',
      tags: ['Redirect'],
      summary: 'Follow a short link',
      description:
        'Redirects to the destination for the visitor’s platform. The click is on disk before the response is sent. If a redirect would lose the match, or landingPage is always, a browser receives a landing page that redirects. If the link has no destination for the visitor, the response is a page that says so. Link preview bots receive a page with Open Graph tags.',
      params: Type.Object({ shortCode: Type.String() }),
      response: {
        200: Type.Unsafe<string>({
          description: 'The landing page, or a page with Open Graph tags',
          content: { 'text/html': { schema: { type: 'string' } } },
        }),
        302: Type.Null({ description: 'Redirect to the destination in Location' }),
        ...errorResponses(404, 410, 503),
      },
    },
    handler: (request, reply) => {
      reply.hijack();
      const { raw, id, ip, params } = request;
      handleTap({
        shortCode: params.shortCode,
        rest: '',
        request: raw,
        response: reply.raw,
        requestId: id,
        address: ip,
      });
    },
  });
}
