import type { Log } from '../../lib/log.ts';
import { replaceHandlers } from './replace-handlers.ts';

/**
 * Runs `stop` at SIGTERM or SIGINT and then exits; a second signal exits at once. Replaces earlier handlers, such as that of
 * `bin/throughline.js`.
 */
export function stopOnSignal(log: Log, stop: (signal: NodeJS.Signals) => Promise<void>): void {
  let stopping = false;
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    replaceHandlers(name, (signal) => {
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
}
