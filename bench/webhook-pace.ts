/** How soon webhooks arrive: one event after the other at a steady pace, with and without hanging receivers beside. */
import { percentile } from './markdown.ts';
import { say } from './progress.ts';
import { machineIsQuiet } from './quiet.ts';
import type { PaceOrder, PaceResult } from './webhook-events.ts';
import type { Received, ReceiverOrder } from './webhook-receiver.ts';
import { type Side, subscribe, unsubscribe, waitUntilIdle } from './webhook-side.ts';
import { startWorker, type Worker } from './worker.ts';

export const EVERY_MS = 50;
export const HANGING = 50;
const ARRIVE_WITHIN_MS = 20_000;
/** What hangs ends by the timeout of an attempt, 10 s. */
const IDLE_WITHIN_MS = 60_000;

export type Receiver = Worker<ReceiverOrder, Received>;
export type Pacer = Worker<PaceOrder, PaceResult>;

export const startReceiver = (): Promise<Receiver> => startWorker('webhook-receiver.ts');
export const startPacer = (): Promise<Pacer> => startWorker('webhook-events.ts');

/** From the answer, or from the call, to the arrival of the whole request at the receiver. */
export interface Pace {
  readonly afterAnswerP50Ms: number;
  readonly afterAnswerP99Ms: number;
  readonly afterCallP50Ms: number;
  readonly afterCallP99Ms: number;
}

export interface LowRounds {
  readonly side: Side;
  readonly rounds: (Pace & { readonly beganQuiet: boolean })[];
}

export const BESIDE = ['nothing', 'hanging, same port', 'hanging, another port'] as const;

/** What is beside the healthy receiver, and how soon its webhooks arrive then. */
interface FairRound {
  readonly beganQuiet: boolean;
  readonly paces: Readonly<Record<(typeof BESIDE)[number], Pace>>;
}

export interface FairRounds {
  readonly side: Side;
  readonly rounds: FairRound[];
}

interface Parts {
  readonly receiver: Receiver;
  readonly pacer: Pacer;
  readonly ports: readonly number[];
}

/** With a single webhook, one database and then the other. */
export async function lowLoad(
  parts: Parts,
  sides: readonly Side[],
  { rounds: count, events }: { rounds: number; events: number },
): Promise<LowRounds[]> {
  const measured = sides.map((side): LowRounds => ({ side, rounds: [] }));
  for (let round = 1; round <= count; round++) {
    say(`low load, round ${round} of ${count}`);
    for (const { side, rounds } of measured) {
      const beganQuiet = await machineIsQuiet();
      const webhookId = await subscribe(side, healthy(parts));
      const pace = await paced(parts, side, events);
      await unsubscribe(side, webhookId);
      say(
        `  ${side.engine}: ${pace.afterAnswerP50Ms.toFixed(1)} ms, p99 ${pace.afterAnswerP99Ms.toFixed(1)} ms`,
      );
      rounds.push({ ...pace, beganQuiet });
    }
  }
  return measured;
}

/** Alone and beside those that hang, in turn; each time with new webhooks, of which the service knows nothing. */
export async function fairness(
  parts: Parts,
  sides: readonly Side[],
  { rounds: count, events }: { rounds: number; events: number },
): Promise<FairRounds[]> {
  const measured = sides.map((side): FairRounds => ({ side, rounds: [] }));
  for (let round = 1; round <= count; round++) {
    say(`fairness, round ${round} of ${count}`);
    for (const { side, rounds } of measured) {
      const beganQuiet = await machineIsQuiet();
      const [same, another] = parts.ports;
      rounds.push({
        beganQuiet,
        paces: {
          nothing: await beside(parts, side, events, null),
          'hanging, same port': await beside(parts, side, events, same ?? 0),
          'hanging, another port': await beside(parts, side, events, another ?? 0),
        },
      });
    }
  }
  return measured;
}

/** @param hangingPort null for none. */
async function beside(parts: Parts, side: Side, events: number, hangingPort: number | null): Promise<Pace> {
  const healthyId = await subscribe(side, healthy(parts));
  const hanging: string[] = [];
  for (let i = 0; hangingPort !== null && i < HANGING; i++)
    hanging.push(await subscribe(side, `http://127.0.0.1:${hangingPort}/hang/${i}`));
  const pace = await paced(parts, side, events);
  for (const id of [healthyId, ...hanging]) await unsubscribe(side, id);
  await waitUntilIdle(side, IDLE_WITHIN_MS);
  const what = hangingPort === null ? 'alone' : `beside ${HANGING} on port ${hangingPort}`;
  say(
    `  ${side.engine}, ${what}: ${pace.afterAnswerP50Ms.toFixed(1)} ms, p99 ${pace.afterAnswerP99Ms.toFixed(1)} ms`,
  );
  return pace;
}

/** @throws when an event does not arrive, or arrives twice. */
async function paced(
  { receiver, pacer }: Parts,
  { engine, service, installId }: Side,
  events: number,
): Promise<Pace> {
  await receiver.ask({ kind: 'begin', isGated: false, takesNotes: true });
  const { events: sent, firstError } = await pacer.ask({
    port: service.port,
    installId,
    events,
    everyMs: EVERY_MS,
  });
  if (firstError !== null) throw new Error(`${engine}: ${firstError}`);
  const { count, notes } = await receiver.ask({
    kind: 'await',
    count: events,
    withinMs: ARRIVE_WITHIN_MS,
  });
  const arrivedMs = new Map(notes);
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

function healthy({ ports }: Parts): string {
  return `http://127.0.0.1:${ports[0]}/healthy`;
}
