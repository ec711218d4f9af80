/** Receivers on loopback, and the code that calls them. All end with the test file. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { after } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
  type OutgoingRequest,
  type OutgoingResponse,
  parseNetworks,
} from '../../src/lib/outgoing/index.ts';

const LOOPBACK = parseNetworks(['127.0.0.0/8', '::1/128']);

const cleanUp: (() => unknown)[] = [];
after(async () => {
  for (const step of cleanUp) await step();
});

export interface Receiver {
  readonly url: string;
  /** One entry for each complete request. */
  readonly bodies: string[];
  /** Number of connections opened so far. */
  readonly connections: number;
  readonly open: number;
  bytesWritten(): number;
  dropConnections(): void;
}

/** A server that answers each request after its body. */
export async function receive(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<Receiver> {
  const bodies: string[] = [];
  const sockets = new Set<Socket>();
  let open = 0;
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text) => {
      body += text;
    });
    request.on('end', () => {
      bodies.push(body);
      answer(request, response);
    });
  });
  // Omits the `Keep-Alive` hint from responses.
  server.keepAliveTimeout = 0;
  server.on('connection', (socket) => {
    sockets.add(socket);
    open += 1;
    socket
      .on('error', () => undefined)
      .on('close', () => {
        open -= 1;
      });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  cleanUp.push(() => server.close().closeAllConnections());
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bodies,
    get connections() {
      return sockets.size;
    },
    get open() {
      return open;
    },
    bytesWritten: () => [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, 0),
    dropConnections: () => server.closeAllConnections(),
  };
}

export function portOf({ url }: Receiver): string {
  return new URL(url).port;
}

export function create(options: Partial<OutgoingOptions> = {}): Outgoing {
  const created = createOutgoing({ allowed: LOOPBACK, connectionsPerOrigin: 2, ...options });
  cleanUp.push(() => created.close());
  return created;
}

const outgoing = create();

export function post(
  url: string,
  options: Partial<OutgoingRequest> = {},
  by = outgoing,
): Promise<OutgoingResponse> {
  const body = Buffer.from('{}');
  return by.post(url, { headers: {}, body, timeoutMs: 5_000, maxResponseBytes: 10_000, ...options });
}

export async function until(holds: () => boolean): Promise<void> {
  for (let i = 0; i < 300 && !holds(); i += 1) await sleep(10);
  assert.ok(holds(), 'waited for 3 s');
}
