import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { type HostDirectory, isReservedPath } from '../apps/index.ts';
import type { Foundation } from '../foundation.ts';
import { type LinkAddress, readLinkAddress, SHORT_LINK_PATH } from '../links/index.ts';
import { clientAddresses } from '../server/client-address.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api, Shortcut } from '../server/server.ts';

/** A request that follows a short link. Its stored record is a click. */
export interface Tap {
  /** Null if no link can have it. */
  readonly address: LinkAddress | null;
  /** The app whose own host was asked for a path; null for short codes, which all hosts have. */
  readonly hostOwner: string | null;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The visitor's IP address, behind trusted proxies. */
  readonly ipAddress: string | undefined;
}

/** Route name in OpenAPI, metrics and logs. */
export const TAP_ROUTE = `${SHORT_LINK_PATH}:shortCode`;
/** Of all paths at the own hosts of apps, in metrics and logs. */
export const PATH_ROUTE = '/:path';

/** Handles taps before Fastify, whose routing and hooks take longer than the tap itself. */
export function shortLinks(
  { config, hostDirectory }: Pick<Foundation, 'config'> & { hostDirectory: Pick<HostDirectory, 'ownerOf'> },
  handleTap: (tap: Tap) => void,
): Shortcut {
  const ipAddressOf = clientAddresses({ config });
  return (request, response, { requestIdOf, passOn }) => {
    const { method, url = '', headers } = request;
    if (method !== 'GET' && method !== 'HEAD') return false;
    const tapOf = (address: LinkAddress | null, hostOwner: string | null): Tap => ({
      address,
      hostOwner,
      request,
      response,
      requestId: requestIdOf(request),
      ipAddress: ipAddressOf(request),
    });
    if (url.startsWith(SHORT_LINK_PATH)) {
      handleTap(tapOf(readLinkAddress(pathOf(url)), null));
      return true;
    }
    if (isReservedPath(url)) return false;
    const leaveOrTap = (owner: string | undefined) => {
      const address = owner === undefined ? null : readLinkAddress(pathOf(url));
      // The framework decodes such paths, too.
      if (owner === undefined || (address?.kind === 'path' && isReservedPath(address.path)))
        passOn(request, response);
      else handleTap(tapOf(address, owner));
    };
    hostDirectory.ownerOf(headers.host ?? '').then(leaveOrTap);
    return true;
  };
}

function pathOf(url: string): string {
  const queryStart = url.indexOf('?');
  return queryStart === -1 ? url : url.slice(0, queryStart);
}

/** The Fastify route, for OpenAPI and for escaped paths such as `/%6c/hello` that only Fastify's router decodes. */
export function redirectRoutes(api: Api, handleTap: (tap: Tap) => void): void {
  const handler = ({ raw, id, ip }: FastifyRequest, reply: FastifyReply) => {
    reply.hijack();
    const address = readLinkAddress(pathOf(raw.url ?? ''));
    const from = { request: raw, response: reply.raw, requestId: id, ipAddress: ip };
    handleTap({ address, hostOwner: null, ...from });
  };
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
    handler,
  });
  // What follows the address of a link with `passPath`.
  api.route({ method: ['GET', 'HEAD'], url: `${TAP_ROUTE}/*`, schema: { hide: true }, handler });
}
