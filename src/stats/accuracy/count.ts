/**
 * How installs are counted to tell how right the fingerprint is: by the probability of the best click in whole hundredths,
 * so that few rows give the numbers of every threshold.
 */

/** Of the installs that a certain method matched: what the fingerprint alone would have said. */
export const SAMPLE_VERDICTS = ['right', 'wrong', 'none'] as const;
type SampleVerdict = (typeof SAMPLE_VERDICTS)[number];
/** `compared` are installs that only the fingerprint could match, `skipped` certain ones that were not measured. */
export type Verdict = SampleVerdict | 'compared' | 'skipped';

export type Platform = 'ANDROID' | 'IOS';

/** What was found of an install. */
export interface Finding {
  readonly verdict: Verdict;
  /** From the least threshold to the greatest; 0 if there is no match at any threshold. */
  readonly percent: number;
}

/** Of a day, or of a period. */
export interface CountedInstalls extends Finding {
  readonly platform: Platform;
  readonly installs: number;
}

const LEAST_PERCENT = 50;
export const LEAST_THRESHOLD = LEAST_PERCENT / 100;
/** The thresholds that an app may set, in hundredths. */
export const PERCENTS: readonly number[] = Array.from({ length: 50 }, (_, index) => LEAST_PERCENT + index);

/** The greatest threshold that a probability reaches; 0 if it reaches none. */
export function percentOf(probability: number): number {
  return PERCENTS.findLast((percent) => probability >= percent / 100) ?? 0;
}
