/** A process that makes a mixed load at a steady pace, without waiting for responses. */
import { percentile } from '../lib/markdown.ts';
import { serveOrders } from '../lib/worker.ts';
import { type Acknowledged, KINDS, type Kind, MixedCalls, PER_SECOND } from './mixed-calls.ts';

export type MixedOrder =
  | { readonly kind: 'start'; readonly port: number }
  | { readonly kind: 'latencies' }
  /** Resolves when no call is in flight. */
  | { readonly kind: 'stop' };

/** Of one kind of call, since the previous order. */
export interface Latency {
  readonly kind: Kind;
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

export interface MixedResult {
  readonly latencies: readonly Latency[];
  /** Since the start. */
  readonly acknowledged: Acknowledged;
}

const TICK_MS = 5;
/** With more calls in flight, the service counts as overloaded. */
const MAX_IN_FLIGHT = 2_000;

let mixed: MixedCalls | null = null;
let timer: NodeJS.Timeout | undefined;
let latenciesMs = noLatencies();
let firstError: string | null = null;
let errors = 0;
const inFlight = new Set<Promise<void>>();

serveOrders(async (order: MixedOrder): Promise<MixedResult> => {
  if (order.kind === 'start') {
    mixed = new MixedCalls(order.port);
    await mixed.prepare();
    begin(mixed);
  }
  if (order.kind === 'stop') {
    clearInterval(timer);
    await Promise.all(inFlight);
    await mixed?.close();
  }
  return result();
});

/** Makes the calls that are due at each tick, including those missed during a pause of this process. */
function begin({ calls }: MixedCalls): void {
  const startMs = performance.now();
  const counts = new Map<Kind, number>();
  timer = setInterval(() => {
    const seconds = (performance.now() - startMs) / 1_000;
    for (const kind of KINDS) {
      let count = counts.get(kind) ?? 0;
      for (; count < Math.floor(seconds * PER_SECOND[kind]); count++) startCall(kind, calls[kind]);
      counts.set(kind, count);
    }
  }, TICK_MS);
}

function startCall(kind: Kind, call: () => Promise<void>): void {
  if (inFlight.size >= MAX_IN_FLIGHT) {
    onError(new Error('the service is overloaded'));
    return;
  }
  const startMs = performance.now();
  const running: Promise<void> = call()
    .then(() => void latenciesMs[kind].push(performance.now() - startMs), onError)
    .finally(() => inFlight.delete(running));
  inFlight.add(running);
}

function onError(error: unknown): void {
  errors += 1;
  firstError ??= String(error);
}

/** @throws after an unexpected response. */
function result(): MixedResult {
  if (errors > 0) throw new Error(`${errors} unexpected responses; the first: ${firstError}`);
  const latencies = KINDS.map((kind) => ({
    kind,
    calls: latenciesMs[kind].length,
    p50Ms: percentile(latenciesMs[kind], 0.5),
    p99Ms: percentile(latenciesMs[kind], 0.99),
  }));
  latenciesMs = noLatencies();
  const acknowledged = mixed?.acknowledged ?? { clicks: 0, events: 0, messages: 0, methods: {} };
  return { latencies, acknowledged };
}

function noLatencies(): Record<Kind, number[]> {
  return Object.fromEntries(KINDS.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
}
