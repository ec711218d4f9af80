import type { Log } from '../../lib/log.ts';

type StopSignal = 'SIGTERM' | 'SIGINT';

/** Runs `stop` at SIGTERM or SIGINT and then exits; a second signal exits at once. */
export function stopOnSignal(log: Log, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let stopping = false;
  handleSignals((signal) => {
    if (stopping) process.exit(1);
    stopping = true;
    log.info({ signal }, 'stopping');
    stop(signal).then(
      () => {
        log.info('stopped');
        process.exit(0);
      },
      (error: unknown) => {
        log.error({ err: error }, 'Failed to stop cleanly');
        process.exit(1);
      },
    );
  });
}

/**
 * Takes the place of earlier handlers, such as those of `bin/throughline.js`. They go last: without any handler Node drops a
 * signal that has come, but that it could not pass on yet.
 */
export function handleSignals(handle: (signal: StopSignal) => void): void {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    const earlier = process.listeners(name);
    process.on(name, () => handle(name));
    for (const listener of earlier) process.removeListener(name, listener);
  }
}
