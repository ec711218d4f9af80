import type { Clock } from '../lib/clock.ts';
import type { Log } from '../lib/log.ts';
import type { Store } from './store.ts';

/** Creates current and future partitions. Never rejects: rows go to the default partition until the hourly retry succeeds. */
export async function createPartitionsAhead({
  store,
  clock,
  log,
}: {
  store: Store;
  clock: Clock;
  log: Log;
}): Promise<void> {
  try {
    const missing = await store.makePartitions(clock.nowMs());
    if (missing.length > 0)
      log.warn(
        { missing },
        'Failed to create partitions because of a long transaction or rows in the default partition; will retry',
      );
  } catch (error) {
    log.warn({ err: error }, 'Failed to create partitions; rows go to the default partition until the retry');
  }
}
