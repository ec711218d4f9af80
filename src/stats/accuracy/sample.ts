/**
 * A uniform sample of the certain installs of a day, as counts. Each install is drawn with one chance; once a day has more
 * than may be kept, the chance is halved and every install that was counted stays with a chance of one half. So late
 * installs of a day are as likely in the sample as early ones, whatever their number, and no install is stored.
 */

/** Of an app and UTC day. */
export const MAX_SAMPLE = 2_000;

/** From 0, included, to 1. */
export type Random = () => number;

/** Whether an install with this draw is in the sample. */
export function isDrawn(draw: number, halvings: number): boolean {
  return draw < 2 ** -halvings;
}

/** Halves the counts until they fit. @returns the number of halvings, with the counts that are left. */
export function halve<T extends { readonly installs: number }>(
  counts: readonly T[],
  random: Random,
): { halvings: number; counts: T[] } {
  let kept = [...counts];
  let halvings = 0;
  for (; total(kept) > MAX_SAMPLE; halvings++)
    kept = kept
      .map((count) => ({ ...count, installs: tosses(count.installs, random) }))
      .filter(({ installs }) => installs > 0);
  return { halvings, counts: kept };
}

function total(counts: readonly { readonly installs: number }[]): number {
  return counts.reduce((sum, { installs }) => sum + installs, 0);
}

function tosses(number: number, random: Random): number {
  return Array.from({ length: number }, random).filter((draw) => isDrawn(draw, 1)).length;
}
