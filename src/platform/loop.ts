import type { Log } from './log.ts';

/** What a run throws that leaves off since its loop is stopped: no fault. */
export class LoopStopped extends Error {
  override name = 'LoopStopped';

  constructor() {
    super('the service stops');
  }
}

/** Long work asks again and again whether to go on: it throws where nobody wants that any more, or somebody else does it. */
export type GoOn = () => Promise<void>;

/** A background task that runs again and again until it is stopped. */
export interface Loop {
  /** Stops after the run under way, if any. */
  stop(): Promise<void>;
}

/**
 * Runs `work` every `intervalMs`, never twice at once. A run that throws is logged and the next one comes all the same.
 * @param firstMs after how long the first run comes.
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
      running = work()
        .catch((error: unknown) => {
          if (error instanceof LoopStopped) return;
          log.error({ err: error, loop: name }, 'a background run failed; it is tried again');
        })
        .then(() => {
          if (!stopped) schedule(intervalMs);
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
