import type { Ctx } from '../ctx.ts';

/** Creates current and future partitions. Never rejects: rows go to the default partition until the hourly retry succeeds. */
export async function createPartitionsAhead({
  store,
  clock,
  log,
}: Pick<Ctx, 'store' | 'clock' | 'log'>): Promise<void> {
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
