import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { chooseDestination, isExpired, type LinkDirectory } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { sendFault } from '../platform/http/faults.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import type { ClickLog } from './click-log.ts';
import { expiredPage, landingPage, notFoundPage, PAGE_HEADERS } from './pages.ts';
import { recordClick } from './record-click.ts';
import { classifyVisitor } from './visitor.ts';

/** The short link: resolve, choose, record, redirect. */
export function redirectRoutes(
  api: Api,
  ctx: Ctx & { linkDirectory: LinkDirectory; clickLog: ClickLog },
): void {
  api.route({
    method: ['GET', 'HEAD'],
    url: '/l/:shortCode',
    schema: {
      tags: ['Redirect'],
      summary: 'Follow a short link',
      description:
        'Leads to the destination for the visitor’s platform. The click is on disk before the answer leaves. Where the link has no destination for the visitor: a small page.',
      params: Type.Object({ shortCode: Type.String() }),
      response: {
        200: Type.String({ description: 'A page, where there is nowhere to go' }),
        302: Type.Null({ description: 'The destination is in Location' }),
        ...errorAnswers(404, 410, 503),
      },
    },
    handler: async (request, reply) => {
      const link = await ctx.linkDirectory.resolve(request.params.shortCode);
      if (link === null) return sendEnd(request, reply, new AppError('link.not_found'), notFoundPage());
      if (isExpired(link, ctx.clock.nowMs())) {
        if (link.fallbackUrl === null)
          return sendEnd(request, reply, new AppError('link.expired'), expiredPage());
        return redirect(reply, chooseDestination(link, null, null) ?? link.fallbackUrl);
      }
      const visitor = classifyVisitor(request.method, request.headers);
      const clickId = await recordClick(ctx, { link, visitor, request });
      const destination = chooseDestination(link, visitor.platform, clickId);
      return destination === null ? sendPage(reply, 200, landingPage(link)) : redirect(reply, destination);
    },
  });
}

function redirect(reply: FastifyReply, destination: string): FastifyReply {
  return reply.code(302).header('location', destination).header('cache-control', 'no-store').send();
}

/** A browser gets a page; a program gets the error that it gets everywhere. */
function sendEnd(request: FastifyRequest, reply: FastifyReply, fault: AppError, page: string): FastifyReply {
  if (!request.headers.accept?.includes('text/html'))
    return sendFault(reply.header('cache-control', 'no-store'), fault);
  return sendPage(reply.header('x-service-error', fault.code), fault.status, page);
}

function sendPage(reply: FastifyReply, status: number, page: string): FastifyReply {
  return reply
    .code(status)
    .headers(PAGE_HEADERS)
    .header('cache-control', 'no-store')
    .serializer((text: string) => text)
    .send(page);
}
