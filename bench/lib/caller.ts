/** A process that sends each of the given requests once and returns the responses. */
import { openConnection, type RequestSource } from './connection.ts';
import { serveOrders, type Worker } from './worker.ts';

export interface CallOrder {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly string[];
}

export interface CallResult {
  /** In the order of the requests. */
  readonly responses: readonly string[];
  readonly latenciesMs: readonly number[];
  /** From the first request to the last response. */
  readonly elapsedMs: number;
}

export type Caller = Worker<CallOrder, CallResult>;

serveOrders(call);

/** @throws if a request gets no response. */
async function call({ port, connections, requests }: CallOrder): Promise<CallResult> {
  const buffers = requests.map((request) => Buffer.from(request));
  const responses: string[] = [];
  const latenciesMs: number[] = [];
  let sent = 0;
  let firstError: string | null = null;
  const sourceOfConnection = (): RequestSource => {
    let current = 0;
    return {
      next() {
        current = sent++;
        return buffers[current] ?? null;
      },
      answered(response, startedMs, nowMs) {
        responses[current] = response;
        latenciesMs[current] = nowMs - startedMs;
      },
      failed(error) {
        firstError ??= error;
      },
    };
  };
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const startMs = performance.now();
  await Promise.all(open.map((connection) => connection.run(sourceOfConnection())));
  if (firstError !== null) throw new Error(`a request got no response: ${firstError}`);
  return { responses, latenciesMs, elapsedMs: performance.now() - startMs };
}
