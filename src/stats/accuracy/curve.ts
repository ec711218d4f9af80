import { type CountedInstalls, PERCENTS, type Platform, type Verdict } from './count.ts';
import { type Interval, intervalOf } from './interval.ts';

/** What a threshold gives. */
export interface CurvePoint {
  readonly threshold: number;
  readonly right: number;
  readonly wrong: number;
  readonly none: number;
  /** right / (right + wrong); null if nothing is matched. */
  readonly precision: Interval | null;
  /** (right + wrong) / all; null without a sample. */
  readonly coverage: Interval | null;
  /** Whether the precision is known well enough to choose by it. */
  readonly enough: boolean;
  /** Installs without a certain match that the fingerprint would have matched. */
  readonly matched: number;
  readonly change: {
    /** More than with the app's threshold, or fewer. */
    readonly installs: number;
    /** As many of these are wrong, if they are as the certain ones between both thresholds; null if there are none. */
    readonly wrong: Interval | null;
    /** As many by the probabilities of the fingerprint itself, which allow for installs without any click. */
    readonly wrongByConfidence: number;
  };
}

export interface Curve {
  readonly platform: Platform;
  /** Certain installs that were measured. */
  readonly sampled: number;
  readonly skipped: number;
  /** Installs that only the fingerprint could match. */
  readonly compared: number;
  /** At the app's threshold. */
  readonly enough: boolean;
  readonly thresholds: readonly CurvePoint[];
}

/** Thresholds often differ in precision by a few points only, which a wider interval hides. */
const MAX_WIDTH = 0.1;

export function curveOf(platform: Platform, counts: readonly CountedInstalls[], appThreshold: number): Curve {
  const own = counts.filter((count) => count.platform === platform);
  const all = (verdict: Verdict) => from(own, verdict, 0);
  const sampled = all('right') + all('wrong') + all('none');
  const thresholds = PERCENTS.map((percent) => pointOf(own, { percent, appThreshold, sampled }));
  return {
    platform,
    sampled,
    skipped: all('skipped'),
    compared: all('compared'),
    enough: thresholds.some(({ threshold, enough }) => threshold === appThreshold && enough),
    thresholds,
  };
}

function pointOf(
  counts: readonly CountedInstalls[],
  { percent, appThreshold, sampled }: { percent: number; appThreshold: number; sampled: number },
): CurvePoint {
  const appPercent = Math.round(appThreshold * 100);
  const right = from(counts, 'right', percent);
  const wrong = from(counts, 'wrong', percent);
  const matched = from(counts, 'compared', percent);
  const precision = intervalOf(right, right + wrong);
  const installs = matched - from(counts, 'compared', appPercent);
  const moved = {
    right: Math.abs(right - from(counts, 'right', appPercent)),
    wrong: Math.abs(wrong - from(counts, 'wrong', appPercent)),
  };
  return {
    threshold: percent / 100,
    right,
    wrong,
    none: sampled - right - wrong,
    precision,
    coverage: intervalOf(right + wrong, sampled),
    enough: precision !== null && precision.high - precision.low <= MAX_WIDTH,
    matched,
    change: {
      installs,
      wrong: times(intervalOf(moved.wrong, moved.right + moved.wrong), Math.abs(installs)),
      wrongByConfidence: Math.abs(doubt(counts, percent) - doubt(counts, appPercent)),
    },
  };
}

/** The installs of a verdict whose probability reaches a threshold. */
function from(counts: readonly CountedInstalls[], verdict: Verdict, percent: number): number {
  return counts
    .filter((count) => count.verdict === verdict && count.percent >= percent)
    .reduce((sum, { installs }) => sum + installs, 0);
}

/** How many of the installs that only the fingerprint matches are wrong, if its probabilities are right. */
function doubt(counts: readonly CountedInstalls[], percent: number): number {
  return counts
    .filter((count) => count.verdict === 'compared' && count.percent >= percent)
    .reduce((sum, count) => sum + count.installs * (1 - (count.percent + 0.5) / 100), 0);
}

function times(share: Interval | null, installs: number): Interval | null {
  if (share === null) return null;
  return { value: share.value * installs, low: share.low * installs, high: share.high * installs };
}
