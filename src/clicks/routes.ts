import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { chooseDestination, isExpired, type LinkDirectory, type ResolvedLink } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { sendFault } from '../platform/http/faults.ts';
import { requestDurations } from '../platform/http/metrics.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import { type Api, MAX_PARAM_CHARACTERS } from '../platform/http/server.ts';
import type { ClickLog } from './click-log.ts';
import { expiredPage, landingPage, notFoundPage, PAGE_HEADERS } from './pages.ts';
import { recordClick } from './record-click.ts';
import { classifyVisitor } from './visitor.ts';

type RedirectCtx = Ctx & { linkDirectory: LinkDirectory; clickLog: ClickLog };

const PREFIX = '/l/';
const ROUTE = `${PREFIX}:shortCode`;

/** The short link: resolve, choose, record, redirect. */
export function redirectRoutes(api: Api, ctx: RedirectCtx): void {
  const durations = requestDurations(ctx);
  api.route({
    method: ['GET', 'HEAD'],
    url: ROUTE,
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
      const answered = durations.startTimer();
      await follow(ctx, request, reply, request.params.shortCode);
      answered({ method: request.method, route: ROUTE, status: reply.statusCode });
      return reply;
    },
  });
}

async function follow(
  ctx: RedirectCtx,
  request: FastifyRequest,
  reply: FastifyReply,
  shortCode: string,
): Promise<void> {
  const link = await ctx.linkDirectory.resolve(shortCode);
  if (link === null) return sendEnd(request, reply, new AppError('link.not_found'), notFoundPage());
  if (isExpired(link, ctx.clock.nowMs())) return sendExpired(request, reply, link);
  const visitor = classifyVisitor(request.method, request.headers);
  const clickId = await recordClick(ctx, { link, visitor, request });
  const destination = chooseDestination(link, visitor.platform, clickId);
  return destination === null ? sendPage(reply, 200, landingPage(link)) : redirect(reply, destination);
}

/** A short link whose code cannot even be read leads where every unknown code leads: to the page that says so. */
export function mendShortLink(address: string): string {
  if (!address.startsWith(PREFIX) || isReadable(address)) return address;
  return `${PREFIX}-`;
}

function isReadable(address: string): boolean {
  if (address.length <= MAX_PARAM_CHARACTERS && !address.includes('%')) return true;
  const path = address.split('?', 1)[0] ?? '';
  if (path.length > MAX_PARAM_CHARACTERS) return false;
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}

/** Past the framework, whose way to an answer without a body takes a quarter of the whole redirect's time. */
function redirect(reply: FastifyReply, destination: string): void {
  reply.hijack();
  const { id } = reply.request;
  const headers = [
    'x-request-id',
    id,
    'location',
    destination,
    'cache-control',
    'no-store',
    'content-length',
    '0',
  ];
  reply.raw.writeHead(302, headers).end();
}

function sendExpired(request: FastifyRequest, reply: FastifyReply, link: ResolvedLink): void {
  const fallback = chooseDestination(link, null, null);
  if (fallback === null) sendEnd(request, reply, new AppError('link.expired'), expiredPage());
  else redirect(reply, fallback);
}

/** A browser gets a page; a program gets the error that it gets everywhere. */
function sendEnd(request: FastifyRequest, reply: FastifyReply, fault: AppError, page: string): void {
  reply.header('cache-control', 'no-store');
  if (!request.headers.accept?.includes('text/html')) sendFault(reply, fault);
  else sendPage(reply.header('x-service-error', fault.code), fault.status, page);
}

function sendPage(reply: FastifyReply, status: number, page: string): void {
  reply
    .code(status)
    .headers({ ...PAGE_HEADERS, 'cache-control': 'no-store' })
    .serializer((text: string) => text)
    .send(page);
}
