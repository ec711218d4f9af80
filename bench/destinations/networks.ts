/** A process with the networks that destinations send to: two that take everything, and one that never answers. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs, serveOrders } from '../lib/worker.ts';
import { BATCH, LIVING } from './shared.ts';

export type NetworksOrder =
  /** Forgets what arrived. */
  | { readonly kind: 'begin'; readonly events: number }
  /** Until each living network has each event that is numbered below `events`. */
  | { readonly kind: 'await'; readonly events: number; readonly timeoutMs: number };

export interface Arrived {
  readonly port: number;
  /** By living network. */
  readonly networks: readonly {
    /** Different events. */
    readonly events: number;
    /** Of them, those that arrived more than once. */
    readonly repeated: number;
    readonly calls: number;
    /** By call to the service: when the last of its events arrived first, by `monotonicMs`. */
    readonly arrivedMs: readonly number[];
  }[];
}

class Network {
  events = 0;
  repeated = 0;
  calls = 0;
  readonly arrivedMs: number[] = [];
  readonly #times: Uint8Array;

  constructor(events: number) {
    this.#times = new Uint8Array(events);
  }

  take(body: string): void {
    const nowMs = monotonicMs();
    this.calls += 1;
    for (const [, digits] of body.matchAll(/"n":(\d+)/g)) {
      const n = Number(digits);
      const times = this.#times[n] ?? 0;
      if (times === 0) this.arrivedMs[Math.floor(n / BATCH)] = nowMs;
      if (times === 0) this.events += 1;
      if (times === 1) this.repeated += 1;
      this.#times[n] = Math.min(times + 1, 2);
    }
  }
}

/** As Segment and PostHog answer for events that they took. */
const TAKEN = '{"success":true,"status":"Ok"}';
const POLL_MS = 20;

let networks = LIVING.map(() => new Network(0));

const server = createServer((request, response) => {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => {
    const living = LIVING.findIndex((name) => request.url?.startsWith(`/${name}/`));
    if (living === -1) return;
    networks[living]?.take(Buffer.concat(chunks).toString('latin1'));
    response.writeHead(200, { 'content-type': 'application/json' }).end(TAKEN);
  });
});

server.listen(0, '127.0.0.1', () => {
  const { port } = server.address() as AddressInfo;
  serveOrders(async (order: NetworksOrder): Promise<Arrived> => {
    if (order.kind === 'begin') networks = LIVING.map(() => new Network(order.events));
    else {
      const isMissing = () => networks.some(({ events }) => events < order.events);
      for (let waitedMs = 0; isMissing() && waitedMs < order.timeoutMs; waitedMs += POLL_MS)
        await wait(POLL_MS);
    }
    return {
      port,
      networks: networks.map(({ events, repeated, calls, arrivedMs }) => ({
        ...{ events, repeated, calls, arrivedMs },
      })),
    };
  });
});
