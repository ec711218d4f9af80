/**
 * Where webhooks arrive, a process of its own: a bare `node:http` server that answers 200. It listens on two ports, and
 * on either, what comes to a path below `/hang` is read and never answered, and one in ten below `/flaky` gets a 500.
 */
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as wait } from 'node:timers/promises';
import { machineMs } from './webhook-time.ts';

export type ReceiverOrder =
  | { readonly kind: 'ports' }
  /** Forgets what arrived. With a gate, nothing is answered until it opens; with notes, each event's time is kept. */
  | { readonly kind: 'begin'; readonly isGated: boolean; readonly takesNotes: boolean }
  | { readonly kind: 'open' }
  | { readonly kind: 'look' }
  /** Answered once so many arrived, or when the time is over. */
  | { readonly kind: 'await'; readonly count: number; readonly withinMs: number };

/** What arrived since the round began. Every time is the machine's monotonic one. */
export interface Received {
  readonly ports: readonly number[];
  readonly count: number;
  /** Requests that waited for the gate, or wait for it still. */
  readonly held: number;
  readonly openedMs: number;
  readonly lastMs: number;
  /** When the whole request was there, by the identifier of its event. */
  readonly notes: readonly (readonly [eventId: string, ms: number])[];
  readonly sample: Sample | null;
}

/** A request that arrived. */
export interface Sample {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

const POLL_MS = 10;
const FLAKY_REFUSES_ONE_OF = 10;

const servers = await Promise.all([listen(), listen()]);
const ports = servers.map((server) => (server.address() as AddressInfo).port);
let isOpen = true;
let takesNotes = false;
let waiting: ServerResponse[] = [];
let toFlaky = 0;
let notes = new Map<string, number>();
let state = { count: 0, held: 0, openedMs: 0, lastMs: 0 };
let sample: Sample | null = null;

process.on('message', async (order: ReceiverOrder) => {
  await obey(order);
  const received: Received = { ports, ...state, notes: [...notes], sample };
  process.send?.(received);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function obey(order: ReceiverOrder): Promise<void> {
  if (order.kind === 'begin') begin(order);
  if (order.kind === 'open') open();
  if (order.kind === 'await')
    for (let waitedMs = 0; state.count < order.count && waitedMs < order.withinMs; waitedMs += POLL_MS)
      await wait(POLL_MS);
}

function begin(order: { isGated: boolean; takesNotes: boolean }): void {
  isOpen = !order.isGated;
  takesNotes = order.takesNotes;
  notes = new Map();
  state = { count: 0, held: 0, openedMs: machineMs(), lastMs: 0 };
}

function open(): void {
  isOpen = true;
  state.openedMs = machineMs();
  for (const response of waiting) answer(response);
  waiting = [];
}

async function listen() {
  const server = createServer((request, response) => {
    if (request.url?.startsWith('/hang')) {
      request.resume();
      return;
    }
    if (request.url?.startsWith('/flaky')) {
      toFlaky += 1;
      if (toFlaky % FLAKY_REFUSES_ONE_OF === 0) response.statusCode = 500;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => arrived(request, chunks, response));
  });
  await new Promise<void>((resolve) =>
    server.listen({ port: 0, host: '127.0.0.1', backlog: 2_048 }, resolve),
  );
  return server;
}

function arrived({ headers }: IncomingMessage, chunks: readonly Buffer[], response: ServerResponse): void {
  state.lastMs = machineMs();
  state.count += 1;
  if (sample === null) sample = { headers, body: Buffer.concat(chunks).toString() };
  if (takesNotes) {
    const { data } = JSON.parse(Buffer.concat(chunks).toString()) as { data: { eventId: string } };
    if (!notes.has(data.eventId)) notes.set(data.eventId, state.lastMs);
  }
  if (isOpen) answer(response);
  else {
    state.held += 1;
    waiting.push(response);
  }
}

function answer(response: ServerResponse): void {
  response.writeHead(response.statusCode, { 'content-length': 0 }).end();
}
