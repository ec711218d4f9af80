import type { Socket } from 'node:net';
import { AppError, type ErrorCode } from '../errors.ts';

const LET_GO_AFTER_MS = 1_000;

/** What is not HTTP never reaches a route, so it is answered on the socket. */
export function answerBrokenHttp(error: Error & { code?: string }, socket: Socket, requestId: string): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return;
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
