/** Sends the response to a tap on Node's own response object: a redirect, a page or an error. */

import type { AppError, ErrorCode } from '../errors.ts';
import { writeError } from '../server/error-response.ts';
import { acceptsHtml } from './choose-answer.ts';
import { type Page, pageHeaders, renderPage } from './pages/page.ts';
import type { Tap } from './routes.ts';
import { ACCEPT_CLIENT_HINTS, supportsClientHints } from './visitors/index.ts';

const UNAVAILABLE_PAGE: Page = {
  title: 'Try again in a moment',
  body: '<p>This link cannot be followed right now. Load the page again in a few seconds.</p>',
};
const ERROR_PAGES: Partial<Record<ErrorCode, Page>> = {
  'link.not_found': {
    title: 'Link not found',
    body: '<p>This link does not exist, or it was removed.</p>',
  },
  'link.expired': {
    title: 'Link expired',
    body: '<p>This link has expired. Ask for a new one where you found it.</p>',
  },
};

export function sendRedirect({ request, response, requestId }: Tap, destination: string): void {
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
export function sendError(tap: Tap, error: AppError): void {
  const { request, response, requestId } = tap;
  if (acceptsHtml(request.headers.accept)) {
    response.setHeader('x-service-error', error.code);
    if (error.retryAfterSeconds !== null) response.setHeader('retry-after', error.retryAfterSeconds);
    sendPage(tap, error.status, ERROR_PAGES[error.code] ?? UNAVAILABLE_PAGE);
  } else {
    response.setHeader('x-request-id', requestId);
    response.setHeader('cache-control', 'no-store');
    writeError(response, error);
  }
}

export function sendPage({ request, response, requestId }: Tap, status: number, page: Page): void {
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
