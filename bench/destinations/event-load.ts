/** A process that records numbered events in batches, as fast as they are answered or at a pace. */
import { openConnection, type RequestSource } from '../lib/connection.ts';
import { requestText } from '../lib/http-messages.ts';
import { SDK_KEY } from '../lib/service.ts';
import { monotonicMs, serveOrders } from '../lib/worker.ts';
import { BATCH } from './shared.ts';

export interface LoadOrder {
  readonly port: number;
  readonly installIds: readonly string[];
  readonly connections: number;
  readonly firstCall: number;
  readonly calls: number;
  /** Events; null for as fast as calls are answered. */
  readonly perSecond: number | null;
}

export interface LoadResult {
  readonly elapsedMs: number;
  /** By call, by `monotonicMs`. */
  readonly answeredMs: readonly number[];
}

serveOrders(record);

/** @throws unless every event is recorded. */
async function record({ port, connections, calls, firstCall, ...order }: LoadOrder): Promise<LoadResult> {
  const answeredMs: number[] = [];
  const errors: string[] = [];
  const everyMs = order.perSecond === null ? 0 : (BATCH / order.perSecond) * 1_000;
  let startMs = 0;
  let taken = 0;
  const sourceOfConnection = (): RequestSource => {
    let call: number | null = null;
    return {
      next(nowMs, resume) {
        call ??= taken++;
        if (call >= calls || errors.length > 0) return null;
        const waitMs = startMs + call * everyMs - nowMs;
        if (everyMs > 0 && waitMs > 0) {
          setTimeout(() => resume(performance.now()), waitMs);
          return 'later';
        }
        return requestOf(firstCall + call, order.installIds);
      },
      answered(response) {
        const recorded = response.split('"status":201').length - 1;
        if (recorded !== BATCH) errors.push(`${recorded} of ${BATCH}: ${response.slice(0, 500)}`);
        if (call !== null) answeredMs[call] = monotonicMs();
        call = null;
      },
      failed: (error) => errors.push(error),
    };
  };
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  startMs = performance.now();
  await Promise.all(open.map((connection) => connection.run(sourceOfConnection())));
  if (errors.length > 0) throw new Error(`not all events were recorded: ${errors[0]}`);
  return { elapsedMs: performance.now() - startMs, answeredMs };
}

/** The events of a call belong to one install, as an app sends them. */
function requestOf(call: number, installIds: readonly string[]): Buffer {
  const headers = {
    'X-Api-Key': SDK_KEY,
    // One address per call, because calls are rate-limited by address.
    'X-Forwarded-For': `13.${call >> 16}.${(call >> 8) & 255}.${call & 255}`,
  };
  const occurredAt = new Date().toISOString();
  const installId = installIds[call % installIds.length];
  const events = Array.from({ length: BATCH }, (_, i) => {
    const n = call * BATCH + i;
    const properties = { n, orderId: `order-${n}`, items: (i % 5) + 1, plan: 'yearly' };
    return { installId, eventName: NAMES[i % NAMES.length], properties, occurredAt };
  });
  return Buffer.from(requestText('POST', '/v1/sdk/events', headers, { events }));
}

const NAMES = ['purchase', 'add_to_cart', 'level_complete', 'screen_view', 'search'];
