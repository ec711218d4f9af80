import { loopRuns } from './channels.ts';
import { MINUTE_MS } from './clock.ts';
import type { Log } from './log.ts';

/** Of a rare task: an alert counts several failures, and an hour is long for what is due. */
const RETRY_WITHIN_MS = MINUTE_MS;

/** Thrown by a run that ends early because its loop is stopping; not logged. */
export class LoopStopped extends Error {
  override name = 'LoopStopped';

  constructor() {
    super('The service is stopping');
  }
}

/** Called between steps of long work; throws to end it, when the loop is stopping or another process holds the lease. */
export type Heartbeat = () => Promise<void>;

/** A background task. */
export interface Loop {
  /** Waits for the current run. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `intervalMs`, never concurrently. A run that throws is logged, and repeated within a minute.
 * @param firstMs delay of the first run.
 */
export function startLoop(
  name: string,
  intervalMs: number,
  log: Log,
  work: () => Promise<void>,
  firstMs = intervalMs,
): Loop {
  let stopped = false;
  let running: Promise<void> = Promise.resolve();
  let timer: NodeJS.Timeout | undefined;

  const schedule = (afterMs: number) => {
    timer = setTimeout(() => {
      let nextMs = intervalMs;
      running = loopRuns
        .tracePromise(work, { name, attributes: {} })
        .catch((error: unknown) => {
          if (error instanceof LoopStopped) return;
          nextMs = Math.min(intervalMs, RETRY_WITHIN_MS);
          log.error({ err: error, loop: name }, 'A background task failed; will retry');
        })
        .then(() => {
          if (!stopped) schedule(nextMs);
        });
    }, afterMs);
    timer.unref();
  };
  schedule(firstMs);

  return {
    async stop() {
      stopped = true;
      clearTimeout(timer);
      await running;
    },
  };
}
