import type { Db } from '../../db/index.ts';
import type { CountedInstalls } from './count.ts';
import { addCounts, countSample, lockDay, takeSample, updateHalvings } from './queries.ts';
import { halve, isDrawn, MAX_SAMPLE, type Random } from './sample.ts';
import type { UnsavedCount } from './unsaved.ts';

/**
 * Adds counts to those of a day, and halves the sample if it has become too large. Processes take turns.
 * @returns how often the sample of the day was halved.
 */
export async function storeDay(
  db: Db,
  { appId, day, counts }: { appId: string; day: string; counts: readonly UnsavedCount[] },
  random: Random,
): Promise<number> {
  return await db.transaction().execute(async (tx) => {
    const before = await lockDay(tx, appId, day);
    // Another process may have halved the sample since the draw.
    const kept = counts.filter(({ draw }) => draw === null || isDrawn(draw, before));
    const isOfSample = ({ draw }: UnsavedCount) => draw !== null;
    const drawn = merge(kept.filter(isOfSample));
    await addCounts(tx, appId, day, merge(kept.filter((count) => !isOfSample(count))));
    await addCounts(tx, appId, day, drawn);
    if (drawn.length === 0 || (await countSample(tx, appId, day)) <= MAX_SAMPLE) return before;
    const halved = halve(await takeSample(tx, appId, day), random);
    await addCounts(tx, appId, day, halved.counts);
    const halvings = before + halved.halvings;
    await updateHalvings(tx, appId, { day, halvings });
    return halvings;
  });
}

/** A statement cannot change one row twice. */
function merge(counts: readonly UnsavedCount[]): CountedInstalls[] {
  const groups = Map.groupBy(counts, ({ platform, verdict, percent }) => `${platform} ${verdict} ${percent}`);
  return [...groups.values()].flatMap(([first, ...others]) => {
    if (first === undefined) return [];
    const { platform, verdict, percent } = first;
    const installs = others.reduce((sum, other) => sum + other.installs, first.installs);
    return [{ platform, verdict, percent, installs }];
  });
}
