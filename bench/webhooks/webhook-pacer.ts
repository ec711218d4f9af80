/** A process that sends single events at a steady pace, without waiting for responses. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'undici';
import { callAtPace } from '../lib/pace.ts';
import { SDK_KEY } from '../lib/service.ts';
import { monotonicMs, serveOrders } from '../lib/worker.ts';

export interface PaceOrder {
  readonly port: number;
  readonly installIds: readonly string[];
  readonly events: number;
  readonly everyMs: number;
}

/** Times of `monotonicMs`. */
export interface SentEvent {
  readonly eventId: string;
  readonly sentMs: number;
  readonly answeredMs: number;
}

const dispatcher = new Agent();

serveOrders(
  ({ port, installIds, events, everyMs }: PaceOrder): Promise<SentEvent[]> =>
    callAtPace(
      everyMs,
      (count) => count < events,
      (i) => send(port, installIds[i % installIds.length] ?? '', i),
    ),
);

async function send(port: number, installId: string, i: number): Promise<SentEvent> {
  const eventId = randomUUID();
  const body = JSON.stringify({
    installId,
    eventId,
    eventName: 'purchase',
    properties: { amount: 19.99, i },
  });
  const headers = {
    'content-type': 'application/json',
    'x-api-key': SDK_KEY,
    // One address per call, because calls are rate-limited by address.
    'x-forwarded-for': `11.0.${i >> 8}.${i & 255}`,
  };
  const sentMs = monotonicMs();
  const url = `http://127.0.0.1:${port}/v1/sdk/event`;
  const response = await request(url, { method: 'POST', headers, body, dispatcher });
  const answeredMs = monotonicMs();
  await response.body.dump();
  if (response.statusCode !== 201) throw new Error(`status ${response.statusCode} of an event`);
  return { eventId, sentMs, answeredMs };
}
