/** Parts of `node:http` that have no public name; `connections.test.ts` fails if a release of Node changes them. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number;

interface ServerSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  readonly parser: { onIncoming: OnIncoming };
}

/** Makes the parser stop with this error, which reaches the `clientError` event. */
const STOP_PARSER = -1;
export const PARSER_STOPPED = 'HPE_CB_HEADERS_COMPLETE';

/** The response whose turn it is on this connection; null between requests. */
export function responseInProgress(socket: Socket): ServerResponse | null {
  return (socket as ServerSocket)._httpMessage ?? null;
}

/** Bytes of responses that the kernel has taken, partly sent buffers included. */
export function bytesTaken(socket: Socket): number {
  const handle = (socket as ServerSocket)._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/**
 * Calls `mayAccept` at the head of each pipelined request. After false the connection is not parsed or read any more: the
 * `request` event would come too late, since Node parses a chunk of 64 KB, some 1,400 requests, without a pause.
 */
export function guardPipeline(socket: Socket, mayAccept: () => boolean): void {
  const { parser } = socket as ServerSocket;
  const accept = parser.onIncoming;
  parser.onIncoming = (request, keepAlive) => {
    if (responseInProgress(socket) === null || mayAccept()) return accept(request, keepAlive);
    socket.pause();
    return STOP_PARSER;
  };
}
