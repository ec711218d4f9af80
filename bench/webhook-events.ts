/** A process that sends one event after the other at a steady pace, whether those before are answered or not. */
import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { setTimeout as wait } from 'node:timers/promises';
import { SDK_KEY } from './service.ts';
import { machineMs } from './webhook-time.ts';

export interface PaceOrder {
  readonly port: number;
  readonly installId: string;
  readonly events: number;
  readonly everyMs: number;
}

/** When an event was sent and when its answer came, by the machine's monotonic clock. */
export interface SentEvent {
  readonly eventId: string;
  readonly sentMs: number;
  readonly answeredMs: number;
}

export interface PaceResult {
  readonly events: readonly SentEvent[];
  readonly firstError: string | null;
}

const agent = new Agent({ keepAlive: true });

process.on('message', async (order: PaceOrder) => {
  const result: PaceResult = await run(order).then(
    (events) => ({ events, firstError: null }),
    (error: unknown) => ({ events: [], firstError: String(error) }),
  );
  process.send?.(result);
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function run({ port, installId, events, everyMs }: PaceOrder): Promise<SentEvent[]> {
  const startMs = machineMs();
  const sent: Promise<SentEvent>[] = [];
  for (let i = 0; i < events; i++) {
    const untilNextMs = startMs + i * everyMs - machineMs();
    if (untilNextMs > 0) await wait(untilNextMs);
    const sending = send(port, installId, i);
    // Seen by `all` at the end.
    sending.catch(() => undefined);
    sent.push(sending);
  }
  return await Promise.all(sent);
}

function send(port: number, installId: string, i: number): Promise<SentEvent> {
  const { promise, resolve, reject } = Promise.withResolvers<SentEvent>();
  const eventId = randomUUID();
  const body = JSON.stringify({
    installId,
    eventId,
    eventName: 'purchase',
    properties: { amount: 19.99, i },
  });
  const headers = {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(body),
    'x-api-key': SDK_KEY,
    // Calls are counted by address.
    'x-forwarded-for': `11.0.${i >> 8}.${i & 255}`,
  };
  const sentMs = machineMs();
  const call = request({ host: '127.0.0.1', port, path: '/v1/sdk/event', method: 'POST', agent, headers });
  call.on('response', (response) => {
    const answeredMs = machineMs();
    response.resume();
    if (response.statusCode === 201) resolve({ eventId, sentMs, answeredMs });
    else reject(new Error(`an event was answered with ${response.statusCode}`));
  });
  call.on('error', reject);
  call.end(body);
  return promise;
}
