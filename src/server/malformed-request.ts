import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';
import { writeError } from './error-response.ts';
import { PARSER_STOPPED, responseInProgress } from './node-http.ts';

/** Time for the client to read the response before the socket is destroyed. */
const GRACE_MS = 1_000;
const HOST = 'host';
const SLASH = '/'.charCodeAt(0);
const ABSOLUTE_FORM = /^https?:\/\/([^/?#@]+)(.*)$/is;

/** Responds on the socket to bytes that Node could not parse as HTTP. */
export function handleClientError(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || error.code === PARSER_STOPPED || !socket.writable) return;
  setTimeout(() => socket.destroy(), GRACE_MS).unref();
  const response = responseInProgress(socket);
  // An earlier request is still in progress: an error response would overtake its response.
  if (response !== null && (response.headersSent || response.req.complete)) return;
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'request.headers_too_large' : 'request.malformed';
  const { status, message } = new AppError(code);
  const body = JSON.stringify({ error: message });
  socket.end(
    [
      `HTTP/1.1 ${status} ${status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-service-error: ${code}`,
      `x-request-id: ${requestId}`,
      'cache-control: no-store',
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** Responds to a request that Node parsed but RFC 9112 forbids. */
export function refuseMalformed(response: ServerResponse, requestId: string): void {
  response.setHeader('x-request-id', requestId);
  response.setHeader('connection', 'close');
  response.setHeader('cache-control', 'no-store');
  writeError(response, new AppError('request.malformed'));
}

/** RFC 9112 3.2: HTTP/1.1 requires one. */
export function hasNoHost({ httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMinor === 1 && headers.host === undefined;
}

/** RFC 9112 3.2 forbids it. Node keeps only the first in `headers`. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}

/**
 * Rewrites `GET http://b/x` to `/x` with `Host: b`: the host of the target replaces the `Host` header (RFC 9112 3.2.2).
 * @returns false for an invalid absolute form: without a host, or with credentials.
 */
export function toOriginForm(request: IncomingMessage): boolean {
  const { url = '' } = request;
  if (url.charCodeAt(0) === SLASH || url === '*') return true;
  const [, host, rest] = ABSOLUTE_FORM.exec(url) ?? [];
  if (host === undefined || rest === undefined) return false;
  request.headers.host = host;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  return true;
}
