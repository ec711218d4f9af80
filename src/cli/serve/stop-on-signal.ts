import type { Log } from '../../platform/log.ts';

/** How a running service ends. */
interface Ending {
  /** Answers what is under way and lets everything go. */
  stop(): Promise<void>;
  /** Takes along whoever would stay when this process ends. */
  endNow(): void;
}

/** Calls `handler` at SIGTERM and SIGINT, in place of an earlier one, such as that of `bin/throughline.js`. */
export function onStopSignal(handler: (signal: NodeJS.Signals) => void): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.removeAllListeners(signal);
    process.on(signal, handler);
  }
}

/** Stops at SIGTERM and SIGINT, and then ends the process. Asked twice, it does not wait for anybody. */
export function stopOnSignal(log: Log, { stop, endNow }: Ending): void {
  let stopping = false;
  onStopSignal((signal) => {
    if (stopping) {
      endNow();
      process.exit(1);
    }
    stopping = true;
    log.info({ signal }, 'stopping');
    stop().then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  });
}
