/** A share of a sample, and where it lies in what was sampled, with a confidence of 95 %. */
export interface Interval {
  readonly value: number;
  readonly low: number;
  readonly high: number;
}

/** The 97.5th percentile of the normal distribution. */
const Z = 1.959964;

/**
 * The score interval of E. B. Wilson (Journal of the American Statistical Association 22, 1927, pages 209 to 212), which
 * Brown, Cai and DasGupta recommend (Statistical Science 16, 2001, pages 101 to 133): near 0 and 1 and in small samples the
 * usual one is too narrow.
 * @returns null for an empty sample.
 */
export function wilson(hits: number, of: number): Interval | null {
  if (of === 0) return null;
  const value = hits / of;
  const spread = Z * Math.sqrt((value * (1 - value)) / of + Z ** 2 / (4 * of ** 2));
  const scale = 1 + Z ** 2 / of;
  const centre = value + Z ** 2 / (2 * of);
  return {
    value,
    low: hits === 0 ? 0 : (centre - spread) / scale,
    high: hits === of ? 1 : (centre + spread) / scale,
  };
}
