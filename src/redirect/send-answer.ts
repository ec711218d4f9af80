/** Sends the response to a tap on Node's own response object: a redirect, a page or an error. */

import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import type { Secrets } from '../lib/secrets.ts';
import type { ResolvedLink } from '../links/index.ts';
import { writeError } from '../server/error-response.ts';
import { chooseAnswer, chooseAnswerOfExpired } from './choose-answer.ts';
import { landingPage } from './landing/landing-page.ts';
import { acceptsHtml, type Page, pageHeaders, renderPage } from './pages/page.ts';
import { previewPage } from './pages/preview-page.ts';
import type { Tap } from './tap.ts';
import type { Visitor } from './visitors/index.ts';
import { ACCEPT_CLIENT_HINTS, supportsClientHints } from './visitors/index.ts';

interface RecordedTap {
  readonly link: ResolvedLink;
  readonly visitor: Visitor;
  /** Null if the click could not be written. */
  readonly clickId: string | null;
}

const NOT_FOUND_PAGE: Page = {
  title: 'Link not found',
  body: '<p>This link does not exist, or it was removed.</p>',
};
const EXPIRED_PAGE: Page = {
  title: 'Link expired',
  body: '<p>This link has expired. Ask for a new one where you found it.</p>',
};
const UNAVAILABLE_PAGE: Page = {
  title: 'Try again in a moment',
  body: '<p>This link cannot be followed right now. Load the page again in a few seconds.</p>',
};

export function sendAnswer(
  { clock, secrets }: { clock: Clock; secrets: Secrets },
  tap: Tap,
  { link, visitor, clickId }: RecordedTap,
): void {
  const { accept, 'accept-language': acceptLanguage } = tap.request.headers;
  const answer = chooseAnswer(link, { visitor, clickId, accept });
  if (answer.kind === 'redirect') redirect(tap, answer.location);
  else if (answer.kind === 'preview')
    sendPage(tap, 200, previewPage(link, { platform: visitor.platform, clickId }));
  else {
    const visit = { visitor, clickId, destination: answer.destination, acceptLanguage };
    sendPage(tap, 200, landingPage({ clock, secrets }, link, visit));
  }
}

export function sendExpired(tap: Tap, link: ResolvedLink): void {
  const answer = chooseAnswerOfExpired(link);
  if (answer.kind === 'redirect') redirect(tap, answer.location);
  else sendErrorPage(tap, new AppError('link.expired'), EXPIRED_PAGE);
}

export function sendNotFound(tap: Tap): void {
  sendErrorPage(tap, new AppError('link.not_found'), NOT_FOUND_PAGE);
}

export function sendUnavailable(tap: Tap, error: AppError): void {
  sendErrorPage(tap, error, UNAVAILABLE_PAGE);
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
  if (supportsClientHints(request.headers)) headers.push('accept-ch', ACCEPT_CLIENT_HINTS);
  response.writeHead(302, headers).end();
}

/** Browsers receive a page, other clients the API's JSON error. */
function sendErrorPage(tap: Tap, error: AppError, page: Page): void {
  const { request, response, requestId } = tap;
  if (acceptsHtml(request.headers.accept)) {
    response.setHeader('x-service-error', error.code);
    if (error.retryAfterSeconds !== null) response.setHeader('retry-after', error.retryAfterSeconds);
    sendPage(tap, error.status, page);
  } else {
    response.setHeader('x-request-id', requestId);
    response.setHeader('cache-control', 'no-store');
    writeError(response, error);
  }
}

function sendPage({ request, response, requestId }: Tap, status: number, page: Page): void {
  const html = renderPage(page);
  response.writeHead(status, {
    ...pageHeaders(page),
    'x-request-id': requestId,
    'cache-control': 'no-store',
    'content-length': Buffer.byteLength(html),
    ...(supportsClientHints(request.headers) && { 'accept-ch': ACCEPT_CLIENT_HINTS }),
  });
  response.end(html);
}
