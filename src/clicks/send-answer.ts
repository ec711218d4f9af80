/** What a tap is answered with, on Node's own response: a redirect, a page, or an error. */
import type { ResolvedLink } from '../links/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { writeFault } from '../platform/http/faults.ts';
import { chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
import { ACCEPT_CLIENT_HINTS, knowsClientHints } from './client-hints.ts';
import { landingPage } from './landing/index.ts';
import { EXPIRED_PAGE, NOT_FOUND_PAGE, UNAVAILABLE_PAGE } from './pages/end-pages.ts';
import { asksForHtml, drawPage, type Page, pageHeaders } from './pages/page.ts';
import { previewPage } from './pages/preview-page.ts';
import type { Tap } from './tap.ts';
import type { Visitor } from './visitor.ts';

/** What is known of a tap once its click is on disk. */
interface Followed {
  readonly link: ResolvedLink;
  readonly visitor: Visitor;
  /** Null where it could not be written. */
  readonly clickId: string | null;
}

/** To a link that leads somewhere. */
export function sendAnswer(ctx: Ctx, tap: Tap, { link, visitor, clickId }: Followed): void {
  const { accept, 'accept-language': acceptLanguage } = tap.request.headers;
  const answer = chooseAnswer(link, { visitor, clickId, accept });
  if (answer.kind === 'redirect') redirect(tap, answer.location);
  else if (answer.kind === 'preview') sendPage(tap, 200, previewPage(link, visitor.platform));
  else {
    const visit = { visitor, clickId, destination: answer.destination, acceptLanguage };
    sendPage(tap, 200, landingPage(ctx, link, visit));
  }
}

/** To a link that was one: its fallback, or 410. */
export function sendExpired(tap: Tap, link: ResolvedLink): void {
  const answer = chooseAnswerOfExpired(link);
  if (answer.kind === 'gone') sendEnd(tap, new AppError('link.expired'), EXPIRED_PAGE);
  else redirect(tap, answer.location);
}

/** To a code that is no link's. */
export function sendNotFound(tap: Tap): void {
  sendEnd(tap, new AppError('link.not_found'), NOT_FOUND_PAGE);
}

/** Where something went wrong. */
export function sendThrown(tap: Tap, fault: AppError): void {
  sendEnd(tap, fault, UNAVAILABLE_PAGE);
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
