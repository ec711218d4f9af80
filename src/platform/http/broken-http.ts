import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';
import { writeFault } from './faults.ts';
import { PARSER_STOPPED, responseInProgress } from './node-http.ts';

const LET_GO_AFTER_MS = 1_000;
const HOST = 'host';

/** What is not HTTP never reaches a route, so it is answered on the socket. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || error.code === PARSER_STOPPED || !socket.writable) return;
  const underWay = responseInProgress(socket);
  // A request that arrived whole is still being answered: this answer, to a later one, would overtake its own.
  if (underWay !== null && (underWay.headersSent || underWay.req.complete)) {
    setTimeout(() => socket.destroy(), LET_GO_AFTER_MS).unref();
    return;
  }
  const code: ErrorCode =
    error.code === 'HPE_HEADER_OVERFLOW' ? 'request.headers_too_large' : 'request.malformed';
  const fault = new AppError(code);
  const body = JSON.stringify({ error: fault.message });
  // Who goes on sending is let go of, once there was time to read the answer.
  setTimeout(() => socket.destroy(), LET_GO_AFTER_MS).unref();
  socket.end(
    [
      `HTTP/1.1 ${fault.status} ${fault.status === 431 ? 'Request Header Fields Too Large' : 'Bad Request'}`,
      'content-type: application/json; charset=utf-8',
      `content-length: ${Buffer.byteLength(body)}`,
      `x-service-error: ${code}`,
      `x-request-id: ${requestId}`,
      'connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** What Node takes for HTTP but is none. */
export function refuseMalformed(response: ServerResponse, requestId: string): void {
  response.setHeader('x-request-id', requestId);
  response.setHeader('connection', 'close');
  writeFault(response, new AppError('request.malformed'));
}

/** RFC 9112 section 3.2: such a request is refused. */
export function isWithoutHost({ httpVersionMinor, headers }: IncomingMessage): boolean {
  return httpVersionMinor === 1 && headers.host === undefined;
}

/** The same section has this refused too. Node keeps only the first of several in `headers`. */
export function hasSeveralHosts({ rawHeaders }: IncomingMessage): boolean {
  let hosts = 0;
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place] ?? '';
    if (name.length === HOST.length && name.toLowerCase() === HOST) hosts += 1;
  }
  return hosts > 1;
}
