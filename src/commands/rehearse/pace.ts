import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs, SECOND_MS } from '../../lib/clock.ts';

/** So that requests which take longer to arrive than later ones do not make one too many in a second. */
const SLACK = 1.1;

/** When the next request may leave. */
export interface Pace {
  /** Resolves when it is the caller's turn. Rejects when `signal` aborts. */
  turn(signal: AbortSignal): Promise<void>;
  /** Nobody has a turn for this time. */
  pause(ms: number): void;
}

export function createPace(perSecond: number): Pace {
  const distanceMs = (SECOND_MS / perSecond) * SLACK;
  let nextMs = 0;
  let pausedUntilMs = 0;
  const reserve = () => {
    const atMs = Math.max(monotonicMs(), nextMs, pausedUntilMs);
    nextMs = atMs + distanceMs;
    return atMs;
  };
  return {
    async turn(signal) {
      for (let atMs = reserve(); ; atMs = reserve()) {
        await sleep(Math.max(Math.ceil(atMs - monotonicMs()), 0), undefined, { signal });
        // A pause may have begun meanwhile.
        if (atMs >= pausedUntilMs) return;
      }
    },
    pause(ms) {
      pausedUntilMs = Math.max(pausedUntilMs, monotonicMs() + ms);
    },
  };
}
