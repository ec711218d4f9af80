/** What a step did: sent something, found nothing to send, or failed. */
export type Step = 'more' | 'done' | { readonly retryAfterMs: number };

/** After a refusal, which a change of the app or the service mends. */
export const REFUSED_RETRY_MS = 60_000;

/** Sends one thing after the other, and waits longer after each failure. */
export interface Lane {
  /**
   * Begins to send; resolves when there is nothing more to send, or after a failure. Does nothing during the wait after a
   * failure, unless it is forced; a wait that the service asked for holds.
   */
  wake(forced?: boolean): Promise<void>;
  stop(): void;
}

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 300_000;

export function createLane(step: () => Promise<Step>, random: () => number): Lane {
  let running: Promise<void> | null = null;
  let isWokenAgain = false;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let isAskedToWait = false;
  let failures = 0;

  async function run(): Promise<void> {
    try {
      for (;;) {
        isWokenAgain = false;
        const result = await step();
        if (typeof result === 'object') {
          waitAfterFailure(result.retryAfterMs);
          return;
        }
        failures = 0;
        if (result === 'done' && !isWokenAgain) return;
      }
    } finally {
      running = null;
    }
  }

  /** The jitter lets phones that failed together come back apart. */
  function waitAfterFailure(retryAfterMs: number): void {
    const delayMs = Math.max(Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** failures), retryAfterMs / 2);
    failures = Math.min(failures + 1, 20);
    isAskedToWait = retryAfterMs > 0;
    timer = setTimeout(
      () => {
        timer = null;
        void lane.wake();
      },
      retryAfterMs + delayMs * (0.5 + random()),
    );
    // In Node, a service that is away must not keep the process from ending.
    (timer as { unref?: () => void }).unref?.();
  }

  const lane: Lane = {
    async wake(forced = false) {
      isWokenAgain = true;
      if (running === null) {
        if (timer !== null && (!forced || isAskedToWait)) return;
        lane.stop();
        running = run();
      }
      await running;
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
      timer = null;
    },
  };
  return lane;
}
