/**
 * Runs `work` on each item: those of a lane one after another in their order, and `maxLanes` lanes at a time.
 * @param laneOf null for an item that need not wait for any other.
 * @returns the results in the order of the items.
 */
export async function inLanes<Item, Result>(
  items: readonly Item[],
  { laneOf, maxLanes }: { laneOf: (item: Item) => string | null; maxLanes: number },
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const lanes = Map.groupBy(items.entries(), ([index, item]) => laneOf(item) ?? index).values();
  // All runners take from the same iterator.
  const run = async () => {
    for (const lane of lanes) for (const [index, item] of lane) results[index] = await work(item);
  };
  await Promise.all(Array.from({ length: maxLanes }, run));
  return results;
}
