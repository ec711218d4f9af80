/**
 * The receiver of webhooks, a separate process: a bare `node:http` server on two ports. Paths below `/hang` get no
 * response, every tenth request below `/flaky` gets a 500, all others get a 200.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { monotonicMs, serveOrders } from '../lib/worker.ts';

export type ReceiverOrder =
  | { readonly kind: 'ports' }
  /** Resets the counts. With a gate, responses are held back until `open`. */
  | { readonly kind: 'begin'; readonly isGated: boolean; readonly recordsTimes: boolean }
  | { readonly kind: 'open' }
  | { readonly kind: 'count' }
  /** Resolves after `count` arrivals or the timeout. */
  | { readonly kind: 'await'; readonly count: number; readonly timeoutMs: number };

/** Requests since `begin`; times of `monotonicMs`. */
export interface Received {
  readonly ports: readonly number[];
  readonly count: number;
  /** Requests whose responses the gate held back. */
  readonly held: number;
  readonly openedMs: number;
  readonly lastMs: number;
  /** When the whole request had arrived. */
  readonly arrivals: readonly (readonly [eventId: string, ms: number])[];
  readonly sample: Sample | null;
}

export interface Sample {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const POLL_MS = 10;
const FLAKY_FAILURE_INTERVAL = 10;

const servers = await Promise.all([listen(), listen()]);
const ports = servers.map((server) => (server.address() as AddressInfo).port);
let isOpen = true;
let recordsTimes = false;
let heldResponses: ServerResponse[] = [];
let flakyRequests = 0;
let arrivals = new Map<string, number>();
let state = { count: 0, held: 0, openedMs: 0, lastMs: 0 };
let sample: Sample | null = null;

serveOrders(async (order: ReceiverOrder): Promise<Received> => {
  if (order.kind === 'begin') begin(order);
  if (order.kind === 'open') open();
  if (order.kind === 'await')
    for (let waitedMs = 0; state.count < order.count && waitedMs < order.timeoutMs; waitedMs += POLL_MS)
      await wait(POLL_MS);
  return { ports, ...state, arrivals: [...arrivals], sample };
});

function begin(order: { isGated: boolean; recordsTimes: boolean }): void {
  isOpen = !order.isGated;
  recordsTimes = order.recordsTimes;
  arrivals = new Map();
  state = { count: 0, held: 0, openedMs: monotonicMs(), lastMs: 0 };
}

function open(): void {
  isOpen = true;
  state.openedMs = monotonicMs();
  for (const response of heldResponses) respond(response);
  heldResponses = [];
}

async function listen() {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/hang')) {
      request.resume();
      return;
    }
    if (request.url?.startsWith('/flaky')) {
      flakyRequests += 1;
      if (flakyRequests % FLAKY_FAILURE_INTERVAL === 0) response.statusCode = 500;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => onRequest(request, Buffer.concat(chunks), response));
  });
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, resolve),
  );
  return server;
}

function onRequest({ headers }: IncomingMessage, body: Buffer, response: ServerResponse): void {
  state.lastMs = monotonicMs();
  state.count += 1;
  if (sample === null) sample = { headers, body: body.toString() };
  if (recordsTimes) {
    const { data } = JSON.parse(body.toString()) as { data: { eventId: string } };
    if (!arrivals.has(data.eventId)) arrivals.set(data.eventId, state.lastMs);
  }
  if (isOpen) respond(response);
  else {
    state.held += 1;
    heldResponses.push(response);
  }
}

function respond(response: ServerResponse): void {
  response.writeHead(response.statusCode, { 'content-length': 0 }).end();
}
