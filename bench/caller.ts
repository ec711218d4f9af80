/** A process that sends the requests it is given, each once, and hands back what was answered. */
import { openConnection, type Talk } from './connection.ts';

export interface CallOrder {
  readonly port: number;
  readonly connections: number;
  readonly requests: readonly string[];
}

export interface CallResult {
  /** In the order of the requests. */
  readonly answers: readonly string[];
  readonly latenciesMs: readonly number[];
  /** From the first request to the last answer. */
  readonly elapsedMs: number;
  readonly firstError: string | null;
}

process.on('message', async (order: CallOrder) => {
  process.send?.(await call(order).catch((error: unknown) => ({ firstError: String(error) })));
});
process.on('disconnect', () => process.exit(0));
process.send?.('ready');

async function call({ port, connections, requests }: CallOrder): Promise<CallResult> {
  const buffers = requests.map((request) => Buffer.from(request));
  const answers: string[] = [];
  const latenciesMs: number[] = [];
  let sent = 0;
  let firstError: string | null = null;
  const talkOfOne = (): Talk => {
    let mine = 0;
    return {
      next() {
        mine = sent++;
        return buffers[mine] ?? null;
      },
      answered(answer, startedMs, nowMs) {
        answers[mine] = answer;
        latenciesMs[mine] = nowMs - startedMs;
      },
      failed(what) {
        firstError ??= what;
      },
    };
  };
  const open = await Promise.all(Array.from({ length: connections }, () => openConnection(port)));
  const startMs = performance.now();
  await Promise.all(open.map((connection) => connection.carry(talkOfOne())));
  return { answers, latenciesMs, elapsedMs: performance.now() - startMs, firstError };
}
