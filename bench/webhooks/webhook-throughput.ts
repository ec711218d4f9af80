/**
 * Deliveries per second of a backlog, compared with a bare loop that posts the same number.
 *
 * Both are measured at the receiver, from the first response, which it holds back until the backlog is complete, to the
 * last arrival. So the service records no events meanwhile, and requests that waited at the gate do not count.
 */

import { recordEvents } from '../events/events.ts';
import type { Caller } from '../lib/caller.ts';
import { countAttempts } from '../lib/database.ts';
import { waitForIdleMachine } from '../lib/machine-load.ts';
import { whole } from '../lib/markdown.ts';
import type { Worker } from '../lib/worker.ts';
import type { BareOrder } from './webhook-bare.ts';
import { createWebhook, deleteWebhook, SECRET, type Side, waitUntilIdle } from './webhook-calls.ts';
import type { Receiver } from './webhook-latency.ts';
import type { Received } from './webhook-receiver.ts';

/** Concurrent posts of the bare loop. The service's own window grows while a receiver is fast. */
export const BARE_CONNECTIONS = 64;
const BATCH = 500;
const EVENT_CONNECTIONS = 4;
/** Less than the timeout of an attempt, 10 s. */
const MAX_GATED_MS = 9_000;
const DONE_TIMEOUT_MS = 180_000;

interface Rate {
  readonly perSecond: number;
  readonly wasIdle: boolean;
}

export interface ThroughputRounds {
  readonly side: Side;
  readonly rounds: { readonly bare: Rate; readonly ours: Rate }[];
}

interface Processes {
  readonly caller: Caller;
  readonly receiver: Receiver;
  readonly bare: Worker<BareOrder, object>;
  readonly ports: readonly number[];
}

/** The webhook that receives all rounds of a side. */
interface Measured {
  readonly side: Side;
  readonly webhookId: string;
  delivered: number;
}

/** Interleaves the rounds, so that a disturbance of the machine affects both senders on both databases. */
export async function measureThroughput(
  processes: Processes,
  sides: readonly Side[],
  size: { rounds: number; deliveries: number; warmUp: number },
): Promise<ThroughputRounds[]> {
  const measured: (ThroughputRounds & { webhook: Measured })[] = [];
  for (const side of sides) {
    const url = `http://127.0.0.1:${processes.ports[0]}/healthy`;
    const webhook = { side, webhookId: await createWebhook(side.service, url), delivered: 0 };
    await deliver(processes, webhook, size.warmUp);
    await post(processes, size.warmUp);
    measured.push({ side, webhook, rounds: [] });
  }
  for (let round = 1; round <= size.rounds; round++) {
    console.error(`sustained, round ${round} of ${size.rounds}`);
    for (const { webhook, side, rounds } of measured) {
      const bareWasIdle = await waitForIdleMachine();
      const bare = { perSecond: await post(processes, size.deliveries), wasIdle: bareWasIdle };
      const oursWasIdle = await waitForIdleMachine();
      const ours = { perSecond: await deliver(processes, webhook, size.deliveries), wasIdle: oursWasIdle };
      console.error(`  ${side.engine}: bare ${whole(bare.perSecond)}/s, ours ${whole(ours.perSecond)}/s`);
      rounds.push({ bare, ours });
    }
  }
  for (const { webhook } of measured) await deleteWebhook(webhook.side.service, webhook.webhookId);
  return measured;
}

/** @throws unless every delivery arrives once and is logged once. */
async function deliver({ caller, receiver }: Processes, webhook: Measured, count: number): Promise<number> {
  const { engine, service, installIds } = webhook.side;
  await receiver.run({ kind: 'begin', isGated: true, recordsTimes: false });
  const size = { batch: BATCH, calls: count / BATCH, connections: EVENT_CONNECTIONS };
  const { elapsedMs } = await recordEvents(caller, service.port, size, installIds);
  if (elapsedMs > MAX_GATED_MS)
    throw new Error(`${engine}: recording ${count} events took too long, ${whole(elapsedMs)} ms`);
  await receiver.run({ kind: 'open' });
  const received = await receiver.run({ kind: 'await', count, timeoutMs: DONE_TIMEOUT_MS });
  await waitUntilIdle(webhook.side, DONE_TIMEOUT_MS);
  webhook.delivered += count;
  await checkLog(webhook);
  const { count: arrived } = await receiver.run({ kind: 'count' });
  if (arrived !== count) throw new Error(`${engine}: ${count} deliveries, ${arrived} arrivals`);
  return perSecond(received);
}

async function checkLog({ side, webhookId, delivered }: Measured): Promise<void> {
  const { all, successes, messages } = await countAttempts(side.service.reader, webhookId);
  if (all !== delivered || successes !== delivered || messages !== delivered)
    throw new Error(
      `${side.engine}: ${delivered} deliveries, but the log has ${all} attempts, ${successes} successes and ${messages} messages`,
    );
}

/** Runs the bare loop. */
async function post({ receiver, bare, ports }: Processes, count: number): Promise<number> {
  const { sample } = await receiver.run({ kind: 'begin', isGated: true, recordsTimes: false });
  if (sample === null) throw new Error('the service has sent no request to copy');
  const done = bare.run({
    port: ports[0] ?? 0,
    path: '/healthy',
    posts: count,
    connections: BARE_CONNECTIONS,
    secret: SECRET,
    sample,
  });
  // Handled when awaited below.
  done.catch(() => undefined);
  await receiver.run({ kind: 'await', count: BARE_CONNECTIONS, timeoutMs: MAX_GATED_MS });
  await receiver.run({ kind: 'open' });
  const received = await receiver.run({ kind: 'await', count, timeoutMs: DONE_TIMEOUT_MS });
  await done;
  return perSecond(received);
}

function perSecond({ count, held, openedMs, lastMs }: Received): number {
  return ((count - held) / (lastMs - openedMs)) * 1_000;
}
