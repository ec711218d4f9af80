/** Small, so that an ordinary erasure does not delay the disk writes of redirects. */
const FIRST_SIZE = 25;
/** A batch has at most a hundredth of the IDs before it. */
const EARLIER_PER_SIZE = 100;

/**
 * Groups distinct IDs into batches for one transaction each. Batches grow with the number of IDs before them: each
 * transaction costs a sync of the disk, and a million records in small ones would take half an hour.
 */
export async function* growingBatches(
  ids: AsyncIterable<readonly string[]>,
  maxSize: number,
): AsyncGenerator<string[]> {
  let batch = new Set<string>();
  let size = FIRST_SIZE;
  let earlier = 0;
  for await (const page of ids)
    for (const id of page) {
      batch.add(id);
      if (batch.size < size) continue;
      yield [...batch];
      earlier += batch.size;
      batch = new Set();
      size = Math.min(maxSize, Math.max(FIRST_SIZE, Math.floor(earlier / EARLIER_PER_SIZE)));
    }
  if (batch.size > 0) yield [...batch];
}
