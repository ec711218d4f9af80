/** A process that makes a mixed load at a steady pace until it is told to stop, whether answers come or not. */

import { percentile } from './markdown.ts';
import { type Acknowledged, KINDS, type Kind, MixedCalls, PER_SECOND } from './mixed-calls.ts';

export type MixedOrder =
  /** Answered when the load has begun. */
  | { readonly kind: 'start'; readonly port: number }
  | { readonly kind: 'look' }
  /** Answered when everything under way is. */
  | { readonly kind: 'stop' };

/** Of one kind of call, since it was last looked at. */
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
  /** What was not answered, or with something else than expected. */
  readonly errors: number;
  readonly firstError: string | null;
}

const TICK_MS = 5;
/** A service that has more than this to answer does not keep up. */
const MAX_UNDER_WAY = 2_000;

let mixed: MixedCalls | null = null;
let timer: NodeJS.Timeout | undefined;
let latenciesMs = noLatencies();
let firstError: string | null = null;
let errors = 0;
const underWay = new Set<Promise<void>>();

process.on('message', async (order: MixedOrder) => {
  try {
    await obey(order);
  } catch (error) {
    failed(error);
  }
  process.send?.(result());
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function obey(order: MixedOrder): Promise<void> {
  if (order.kind === 'start') {
    mixed = new MixedCalls(order.port);
    await mixed.prepare();
    begin(mixed);
  }
  if (order.kind === 'stop') {
    clearInterval(timer);
    await Promise.all(underWay);
    await mixed?.close();
  }
}

/** Each kind of call is made as often as is due by now; what a pause of this process left undone is made up for. */
function begin({ calls }: MixedCalls): void {
  const startMs = performance.now();
  const made = new Map<Kind, number>();
  timer = setInterval(() => {
    const seconds = (performance.now() - startMs) / 1_000;
    for (const kind of KINDS) {
      let count = made.get(kind) ?? 0;
      for (; count < Math.floor(seconds * PER_SECOND[kind]); count++) make(kind, calls[kind]);
      made.set(kind, count);
    }
  }, TICK_MS);
}

function make(kind: Kind, call: () => Promise<void>): void {
  if (underWay.size >= MAX_UNDER_WAY) {
    failed(new Error('the service does not keep up'));
    return;
  }
  const startMs = performance.now();
  const made: Promise<void> = call()
    .then(() => void latenciesMs[kind].push(performance.now() - startMs), failed)
    .finally(() => underWay.delete(made));
  underWay.add(made);
}

function failed(error: unknown): void {
  errors += 1;
  firstError ??= String(error);
}

function result(): MixedResult {
  const latencies = KINDS.map((kind) => ({
    kind,
    calls: latenciesMs[kind].length,
    p50Ms: percentile(latenciesMs[kind], 0.5),
    p99Ms: percentile(latenciesMs[kind], 0.99),
  }));
  latenciesMs = noLatencies();
  const acknowledged = mixed?.acknowledged ?? { clicks: 0, events: 0, messages: 0, methods: {} };
  return { latencies, acknowledged, errors, firstError };
}

function noLatencies(): Record<Kind, number[]> {
  return Object.fromEntries(KINDS.map((kind) => [kind, [] as number[]])) as Record<Kind, number[]>;
}
