import type { Log } from '../../platform/log.ts';

/** How a running service ends. */
interface Ending {
  /** Answers what is under way and lets everything go. */
  stop(): Promise<void>;
  /** Takes along whoever would stay when this process ends. */
  endNow(): void;
}

/** Stops at SIGTERM and SIGINT, and then ends the process. Asked twice, it does not wait for anybody. */
export function stopOnSignal(log: Log, { stop, endNow }: Ending): void {
  let stopping = false;
  const onSignal = (signal: string) => {
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
  };
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
}
