/** Latency of webhooks: single events at a steady pace, with and without hanging receivers. */
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { percentile } from '../lib/markdown.ts';
import { startWorker, type Worker } from '../lib/worker.ts';
import { createWebhook, deleteWebhook, type Side, waitUntilIdle } from './webhook-calls.ts';
import type { PaceOrder, SentEvent } from './webhook-pacer.ts';
import type { Received, ReceiverOrder } from './webhook-receiver.ts';

export const EVENT_INTERVAL_MS = 50;
export const HANGING = 50;
const ARRIVAL_TIMEOUT_MS = 20_000;
/** Hanging attempts end by their timeout of 10 s. */
const IDLE_TIMEOUT_MS = 60_000;

export type Receiver = Worker<ReceiverOrder, Received>;
export type EventPacer = Worker<PaceOrder, SentEvent[]>;

export const startReceiver = (): Promise<Receiver> => startWorker('webhooks/webhook-receiver.ts');

/** From the event's response, or from its call, to the arrival of the whole webhook request. */
export interface Latency {
  readonly afterAnswerP50Ms: number;
  readonly afterAnswerP99Ms: number;
  readonly afterCallP50Ms: number;
  readonly afterCallP99Ms: number;
}

export interface LowLoadRounds {
  readonly side: Side;
  readonly rounds: (Latency & { readonly wasIdle: boolean })[];
}

/** Other receivers beside the healthy one. */
export const OTHER_RECEIVERS = ['nothing', 'hanging, same port', 'hanging, another port'] as const;

export interface FairnessRounds {
  readonly side: Side;
  readonly rounds: {
    readonly wasIdle: boolean;
    readonly latencies: Readonly<Record<(typeof OTHER_RECEIVERS)[number], Latency>>;
  }[];
}

interface Processes {
  readonly receiver: Receiver;
  readonly pacer: EventPacer;
  readonly ports: readonly number[];
}

/** One webhook. */
export async function measureLowLoad(
  processes: Processes,
  sides: readonly Side[],
  { rounds: count, events }: { rounds: number; events: number },
): Promise<LowLoadRounds[]> {
  const measured = sides.map((side): LowLoadRounds => ({ side, rounds: [] }));
  for (let round = 1; round <= count; round++) {
    console.error(`low load, round ${round} of ${count}`);
    for (const { side, rounds } of measured) {
      const wasIdle = await waitForIdleMachine();
      rounds.push({ ...(await measureBeside(processes, side, events, null)), wasIdle });
    }
  }
  return measured;
}

/** One healthy webhook alone and beside hanging ones, in turn; always with new webhooks, without a history. */
export async function measureFairness(
  processes: Processes,
  sides: readonly Side[],
  { rounds: count, events }: { rounds: number; events: number },
): Promise<FairnessRounds[]> {
  const measured = sides.map((side): FairnessRounds => ({ side, rounds: [] }));
  const [samePort = 0, otherPort = 0] = processes.ports;
  for (let round = 1; round <= count; round++) {
    console.error(`fairness, round ${round} of ${count}`);
    for (const { side, rounds } of measured) {
      const wasIdle = await waitForIdleMachine();
      const latencies = {
        nothing: await measureBeside(processes, side, events, null),
        'hanging, same port': await measureBeside(processes, side, events, samePort),
        'hanging, another port': await measureBeside(processes, side, events, otherPort),
      };
      rounds.push({ wasIdle, latencies });
    }
  }
  return measured;
}

/** @param hangingPort null for no hanging receivers. */
async function measureBeside(
  processes: Processes,
  side: Side,
  events: number,
  hangingPort: number | null,
): Promise<Latency> {
  const { engine, service } = side;
  const webhookIds = [await createWebhook(service, `http://127.0.0.1:${processes.ports[0]}/healthy`)];
  for (let i = 0; hangingPort !== null && i < HANGING; i++)
    webhookIds.push(await createWebhook(service, `http://127.0.0.1:${hangingPort}/hang/${i}`));
  const latency = await measureLatency(processes, side, events);
  for (const id of webhookIds) await deleteWebhook(service, id);
  await waitUntilIdle(side, IDLE_TIMEOUT_MS);
  const others = hangingPort === null ? 'alone' : `beside ${HANGING} on port ${hangingPort}`;
  console.error(
    `  ${engine}, ${others}: ${latency.afterAnswerP50Ms.toFixed(1)} ms, p99 ${latency.afterAnswerP99Ms.toFixed(1)} ms`,
  );
  return latency;
}

/** @throws unless every event arrives exactly once. */
async function measureLatency(
  { receiver, pacer }: Processes,
  { engine, service, installIds }: Side,
  events: number,
): Promise<Latency> {
  await receiver.run({ kind: 'begin', isGated: false, recordsTimes: true });
  const sent = await pacer.run({ port: service.port, installIds, events, everyMs: EVENT_INTERVAL_MS });
  const { count, arrivals } = await receiver.run({
    kind: 'await',
    count: events,
    timeoutMs: ARRIVAL_TIMEOUT_MS,
  });
  const arrivedMs = new Map(arrivals);
  if (count !== events || arrivedMs.size !== events)
    throw new Error(`${engine}: ${events} events, ${count} arrivals of ${arrivedMs.size} events`);
  const afterAnswer = sent.map(({ eventId, answeredMs }) => (arrivedMs.get(eventId) ?? 0) - answeredMs);
  const afterCall = sent.map(({ eventId, sentMs }) => (arrivedMs.get(eventId) ?? 0) - sentMs);
  return {
    afterAnswerP50Ms: percentile(afterAnswer, 0.5),
    afterAnswerP99Ms: percentile(afterAnswer, 0.99),
    afterCallP50Ms: percentile(afterCall, 0.5),
    afterCallP99Ms: percentile(afterCall, 0.99),
  };
}
