import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises';

/** While many requests arrive, an export takes at most this share of the time: more of its thread's on a busy machine. */
const BUSY_SHARE = 0.05;
const MAX_PAUSE_MS = 200;
/** Below it, requests leave the event loop idle for most of the time, and no stranger's few may slow an export. */
const MANY_REQUESTS_PER_MS = 0.5;
/** While none do, only some pieces are followed by a pause, which tells whether that is still so. */
const LOOK_AFTER_PIECES = 5;
const LOOK_MS = 1;

/** Leaves the event loop to requests while there are any. @param server whose `requests` have begun so far. */
export async function* givingWay<T>(
  pieces: AsyncIterable<T>,
  server: { readonly requests: number },
): AsyncGenerator<T> {
  let isBusy = false;
  let sincePause = 0;
  let startedMs = threadMs();
  for await (const piece of pieces) {
    const tookMs = threadMs() - startedMs;
    yield piece;
    sincePause += 1;
    if (isBusy || sincePause === LOOK_AFTER_PIECES) {
      const { requests } = server;
      // First, since the loop's clock is as old as its turn: a timer that is due already would let no request in.
      await nextTurn();
      const pauseMs: number = isBusy ? Math.min(MAX_PAUSE_MS, tookMs / BUSY_SHARE) : LOOK_MS;
      await wait(pauseMs);
      isBusy = server.requests - requests > Math.max(1, pauseMs * MANY_REQUESTS_PER_MS);
      sincePause = 0;
    }
    startedMs = threadMs();
  }
}

/** Processor time of this thread: elapsed time would count other processes of a busy machine. */
function threadMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
