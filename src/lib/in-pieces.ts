import { setImmediate as nextTurn } from 'node:timers/promises';
import { monotonicMs } from './clock.ts';

/** A request needs several turns of the event loop, and waits that long for each. */
const MAX_PIECE_MS = 3;

/** Works on all items, and lets the event loop turn whenever a few milliseconds have passed. */
export async function inPieces<T>(items: Iterable<T>, work: (item: T) => void): Promise<void> {
  let startedMs = monotonicMs();
  for (const item of items) {
    work(item);
    if (monotonicMs() - startedMs < MAX_PIECE_MS) continue;
    await nextTurn();
    startedMs = monotonicMs();
  }
}
