import type { Ctx } from './ctx.ts';

/**
 * Makes the partitions of now and of some time ahead. Nobody waits for those that cannot be made: they are tried again every
 * hour, and until then rows of their time go to the rest, where they are as safe.
 */
export async function makePartitionsAhead({
  store,
  clock,
  log,
}: Pick<Ctx, 'store' | 'clock' | 'log'>): Promise<void> {
  try {
    const missing = await store.makePartitions(clock.nowMs());
    if (missing.length > 0)
      log.warn(
        { missing },
        'partitions could not be made yet, since a long transaction holds the table or there are rows of their time already: until they can be, such rows go to the rest',
      );
  } catch (error) {
    log.warn(
      { err: error },
      'partitions could not be made ahead: until they can be, such rows go to the rest',
    );
  }
}
