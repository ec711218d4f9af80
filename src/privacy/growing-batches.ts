/** Few enough that an ordinary erasure does not delay the disk writes of redirects. */
const FIRST = 25;
/** A batch is at most this part of what came before it. */
const PART_OF_EARLIER = 100;

/**
 * Puts IDs together in batches for one transaction each. Batches start small and grow with the number of IDs before
 * them, since every transaction costs a sync of the disk and a million records in small ones take half an hour.
 * @param most IDs in one batch.
 */
export async function* growingBatches(
  ids: AsyncIterable<readonly string[]>,
  most: number,
): AsyncGenerator<string[]> {
  let batch = new Set<string>();
  let size = FIRST;
  let earlier = 0;
  for await (const some of ids)
    for (const id of some) {
      batch.add(id);
      if (batch.size < size) continue;
      yield [...batch];
      earlier += batch.size;
      batch = new Set();
      size = Math.min(most, Math.max(FIRST, Math.floor(earlier / PART_OF_EARLIER)));
    }
  if (batch.size > 0) yield [...batch];
}
