import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** For the headers, and for a body after them, unless its route gives it longer. */
export const REQUEST_TIMEOUT_MS = 30_000;
/** Node's own deadline: of the longest body. */
export const MAX_REQUEST_TIMEOUT_MS = 10 * 60_000;

/** Ends requests whose body does not arrive in time. Node has one deadline for all requests of a server. */
export class BodyDeadlines {
  readonly #timers = new WeakMap<IncomingMessage, NodeJS.Timeout>();
  readonly #end: (socket: Socket) => void;

  /** @param end answers on the socket, and closes it. */
  constructor(end: (socket: Socket) => void) {
    this.#end = end;
  }

  start(request: IncomingMessage, response: ServerResponse): void {
    const { headers } = request;
    // Most requests have none, and cost no timer.
    if (headers['content-length'] === undefined && headers['transfer-encoding'] === undefined) return;
    this.#set(request, REQUEST_TIMEOUT_MS);
    const clear = () => clearTimeout(this.#timers.get(request));
    request.once('end', clear).once('close', clear);
    response.once('close', clear);
  }

  /** From now on. */
  extend(request: IncomingMessage, ms: number): void {
    if (this.#timers.has(request)) this.#set(request, ms);
  }

  #set(request: IncomingMessage, ms: number): void {
    clearTimeout(this.#timers.get(request));
    const timer = setTimeout(() => {
      if (!request.complete) this.#end(request.socket);
    }, ms).unref();
    this.#timers.set(request, timer);
  }
}
