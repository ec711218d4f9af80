import type { IncomingMessage, ServerResponse } from 'node:http';
import { Type } from 'typebox';
import type { HostDirectory } from '../apps/index.ts';
import { isExpired, type LinkDirectory, type ResolvedLink, SHORT_LINK_PATH } from '../links/index.ts';
import { monotonicMs } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { toAppError, writeFault } from '../platform/http/faults.ts';
import { requestDurations } from '../platform/http/metrics.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api, Shortcut } from '../platform/http/server.ts';
import { visitorAddresses } from '../platform/http/visitor-address.ts';
import { onceEach } from '../platform/once.ts';
import { chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
import type { ClickLog } from './click-log.ts';
import { ACCEPT_CLIENT_HINTS, knowsClientHints } from './client-hints.ts';
import { landingPage } from './landing/index.ts';
import { EXPIRED_PAGE, NOT_FOUND_PAGE, UNAVAILABLE_PAGE } from './pages/end-pages.ts';
import { asksForHtml, drawPage, type Page, pageHeaders } from './pages/page.ts';
import { previewPage } from './pages/preview-page.ts';
import { recordClick } from './record-click.ts';
import { classifyVisitor, type Visitor } from './visitor.ts';

type RedirectCtx = Ctx & { linkDirectory: LinkDirectory; hostDirectory: HostDirectory; clickLog: ClickLog };

const ROUTE = `${SHORT_LINK_PATH}:shortCode`;

/** A tap under way. */
interface Tap {
  readonly shortCode: string;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly requestId: string;
  /** The visitor's, past our own proxies. */
  readonly address: string | undefined;
}

/** What is known of a tap once its click is on disk. */
interface Followed {
  readonly link: ResolvedLink;
  readonly visitor: Visitor;
  /** Null where it could not be written. */
  readonly clickId: string | null;
}

/** The short link past the framework: this is the hottest path. */
export function shortLinks(ctx: RedirectCtx, answer: (tap: Tap) => void): Shortcut {
  const addressOf = visitorAddresses(ctx);
  return (request, response, requestIdOf) => {
    const { method, url = '' } = request;
    if ((method !== 'GET' && method !== 'HEAD') || !url.startsWith(SHORT_LINK_PATH)) return false;
    const requestId = requestIdOf(request);
    answer({ shortCode: shortCodeOf(url), request, response, requestId, address: addressOf(request) });
    return true;
  };
}

/** Resolve, record, choose, redirect; on Node's own request and response. */
export function answerTaps(ctx: RedirectCtx): (tap: Tap) => void {
  const durations = requestDurations(ctx);
  const durationsOfGet = onceEach((status: number) => durations.of({ method: 'GET', route: ROUTE, status }));
  const durationsOf = (method: string, status: number) =>
    method === 'GET' ? durationsOfGet(status) : durations.of({ method, route: ROUTE, status });
  return async (tap) => {
    const startedMs = monotonicMs();
    try {
      const found = findLink(ctx, tap);
      // Nearly always known: to wait for that too would cost every tap a turn of its own.
      const link = found instanceof Promise ? await found : found;
      if (link === null) sendEnd(tap, new AppError('link.not_found'), NOT_FOUND_PAGE);
      else if (isExpired(link, ctx.clock.nowMs())) sendExpired(tap, link);
      else {
        const { address, request } = tap;
        const { method, headers } = request;
        const visitor = classifyVisitor(method, headers);
        const { id, onDisk } = recordClick(ctx, { link, visitor, address, headers });
        sendAnswer(ctx, tap, { link, visitor, clickId: (await onDisk) ? id : null });
      }
    } catch (error) {
      answerThrown(ctx, tap, error);
    }
    const { method = '' } = tap.request;
    durationsOf(method, tap.response.statusCode).observe((monotonicMs() - startedMs) / 1_000);
  };
}

/**
 * The short link for the framework: for the API's description, and for the spellings of its address that only the
 * framework's router knows to be one (`/%6c/hello`, `http://host/l/hello`).
 */
export function redirectRoutes(api: Api, answer: (tap: Tap) => void): void {
  api.route({
    method: ['GET', 'HEAD'],
    url: ROUTE,
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

/** The link that the visitor's host knows by this code. */
function findLink(
  ctx: RedirectCtx,
  { request, shortCode }: Tap,
): ResolvedLink | null | Promise<ResolvedLink | null> {
  const hostOwner = ctx.hostDirectory.ownerOf(request.headers.host ?? '');
  const link = ctx.linkDirectory.resolve(shortCode);
  if (link instanceof Promise || hostOwner instanceof Promise)
    return Promise.all([link, hostOwner]).then(([link, hostOwner]) => notElsewhere(link, hostOwner));
  return notElsewhere(link, hostOwner);
}

/** Null too where the visitor came to a host that another app has for itself. */
function notElsewhere(link: ResolvedLink | null, hostOwner: string | undefined): ResolvedLink | null {
  return hostOwner === undefined || hostOwner === link?.appId ? link : null;
}

function sendAnswer(ctx: RedirectCtx, tap: Tap, { link, visitor, clickId }: Followed): void {
  const { accept, 'accept-language': acceptLanguage } = tap.request.headers;
  const answer = chooseAnswer(link, { visitor, clickId, accept });
  if (answer.kind === 'redirect') redirect(tap, answer.location);
  else if (answer.kind === 'preview') sendPage(tap, 200, previewPage(link, visitor.platform));
  else {
    const visit = { visitor, clickId, destination: answer.destination, acceptLanguage };
    sendPage(tap, 200, landingPage(ctx, link, visit));
  }
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

function redirect({ request, response, requestId }: Tap, destination: string): void {
  const headers = [
    'x-request-id',
    requestId,
    'location',
    destination,
    'cache-control',
    'no-store',
    'content-length',
    '0',
  ];
  if (knowsClientHints(request.headers)) headers.push('accept-ch', ACCEPT_CLIENT_HINTS);
  response.writeHead(302, headers).end();
}

function sendExpired(tap: Tap, link: ResolvedLink): void {
  const answer = chooseAnswerOfExpired(link);
  if (answer.kind === 'gone') sendEnd(tap, new AppError('link.expired'), EXPIRED_PAGE);
  else redirect(tap, answer.location);
}

/** A browser gets a page; a program gets the error that it gets everywhere. */
function sendEnd(tap: Tap, fault: AppError, page: Page): void {
  if (asksForHtml(tap.request.headers.accept)) {
    tap.response.setHeader('x-service-error', fault.code);
    if (fault.retryAfterSeconds !== null) tap.response.setHeader('retry-after', fault.retryAfterSeconds);
    sendPage(tap, fault.status, page);
  } else sendFault(tap, fault);
}

function sendPage({ request, response, requestId }: Tap, status: number, page: Page): void {
  const html = drawPage(page);
  response.writeHead(status, {
    ...pageHeaders(page),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(html),
    ...(knowsClientHints(request.headers) && { 'accept-ch': ACCEPT_CLIENT_HINTS }),
  });
  response.end(html);
}

function sendFault({ response, requestId }: Tap, fault: AppError): void {
  response.setHeader('x-request-id', requestId);
  response.setHeader('cache-control', 'no-store');
  writeFault(response, fault);
}

function answerThrown(ctx: Ctx, tap: Tap, thrown: unknown): void {
  const fault = toAppError(thrown);
  if (fault.status >= 500)
    ctx.log.error({ err: thrown, requestId: tap.requestId, route: ROUTE }, 'a request failed');
  if (tap.response.headersSent) tap.response.destroy();
  else sendEnd(tap, fault, UNAVAILABLE_PAGE);
}
