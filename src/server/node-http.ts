/** Internals of `node:http`; `connections.test.ts` fails if a release of Node changes them. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { type Socket, Server as SocketServer } from 'node:net';

type OnIncoming = (request: IncomingMessage, keepAlive: boolean) => number;

interface ServerSocket extends Socket {
  readonly _httpMessage?: ServerResponse | null;
  readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  readonly parser: { onIncoming: OnIncoming };
}

/** Stops the parser with the error below, which reaches the `clientError` event. */
const STOP_PARSER = -1;
export const PARSER_STOPPED = 'HPE_CB_HEADERS_COMPLETE';

/** The response that this connection sends next; null between requests. */
export function responseInProgress(socket: Socket): ServerResponse | null {
  return (socket as ServerSocket)._httpMessage ?? null;
}

/** Bytes of responses that the kernel has taken, partly sent buffers included. */
export function bytesTaken(socket: Socket): number {
  const handle = (socket as ServerSocket)._handle;
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}

/** Accepts no new connection. The server's own `close` would end idle ones, too. */
export function stopListening(server: Server): void {
  SocketServer.prototype.close.call(server);
}

/**
 * Calls `mayAccept` at the head of each pipelined request; after false, parsing and reading stop. The `request` event
 * would be too late: Node parses a chunk of 64 KB, some 1,400 requests, at once (`docs/adr/0010-pipelined-requests.md`).
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
