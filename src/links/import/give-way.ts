import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';
import { monotonicMs } from '../../lib/clock.ts';

/** While many requests arrive, an import rests this many times as long as it worked: it has threads, and a database, to share. */
const REST_PER_WORK = 2;
/** An import that holds many rows for a long disk must not rest for minutes. */
const MAX_REST_MS = 1_000;
/** Below it, requests leave most of the processor idle. */
const MANY_REQUESTS_PER_MS = 0.5;

/** @returns what an import calls between its parts. */
export function giverOfWay(server: { readonly requests: number }): () => Promise<void> {
  let { requests } = server;
  let beganMs = monotonicMs();
  return async () => {
    await nextTurn();
    const workedMs = monotonicMs() - beganMs;
    const isBusy = server.requests - requests > workedMs * MANY_REQUESTS_PER_MS;
    if (isBusy) await wait(Math.min(workedMs * REST_PER_WORK, MAX_REST_MS));
    ({ requests } = server);
    beganMs = monotonicMs();
  };
}
