import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Api } from './server.ts';

/** Requests under way have this long once the server stops. */
const FINISH_WITHIN_MS = 7_000;
const LOOK_FOR_IDLE_EVERY_MS = 100;

/**
 * Takes no new connection and answers what is under way. A connection goes once it is idle; one that says nothing, or
 * never ends its request, is not waited for longer than 7 s.
 */
export async function closeServer(api: Api): Promise<void> {
  const idle = setInterval(() => api.server.closeIdleConnections(), LOOK_FOR_IDLE_EVERY_MS);
  const late = setTimeout(() => api.server.closeAllConnections(), FINISH_WITHIN_MS);
  await api.close();
  clearInterval(idle);
  clearTimeout(late);
}

/** Knows whether the server stops: whoever is answered from then on is told that the connection goes. */
export class Closing {
  readonly #connections = new Set<Socket>();
  #begun = false;

  watch(server: Server): void {
    server.on('connection', (socket) => {
      this.#connections.add(socket);
      socket.once('close', () => this.#connections.delete(socket));
    });
  }

  /** Marks also what is under way, as far as nothing of its answer has left. */
  begin(): void {
    this.#begun = true;
    for (const socket of this.#connections) {
      const underWay = answerUnderWay(socket);
      if (underWay !== null) underWay.shouldKeepAlive = false;
    }
  }

  mark(response: ServerResponse): void {
    if (this.#begun) response.shouldKeepAlive = false;
  }
}

/** Node keeps it there for its own use, and has no other place to ask. */
export function answerUnderWay(socket: Socket): ServerResponse | null {
  return (socket as Socket & { _httpMessage?: ServerResponse | null })._httpMessage ?? null;
}
