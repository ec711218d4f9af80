import { HOUR_MS, SECOND_MS } from '../../platform/clock.ts';
import type { Signals } from './signals.ts';
import { type SignalWeights, weighSignals } from './weigh.ts';

/** A click from the install's address, in the window, that nobody claimed. */
export interface Candidate {
  readonly clickId: string;
  readonly clickedAtMs: number;
  readonly signals: Signals;
  /** Clicks with the same text came from one device as far as anybody can tell. */
  readonly device: string;
}

export interface WeighedCandidate {
  readonly clickId: string;
  readonly ageSeconds: number;
  readonly weights: SignalWeights;
  /** Posterior that this click's device made the install. */
  readonly probability: number;
}

export type FingerprintMatch =
  | {
      readonly clickId: string;
      readonly probability: number;
      readonly candidates: readonly WeighedCandidate[];
    }
  | {
      readonly clickId: null;
      readonly reason: 'no_candidates' | 'below_threshold' | 'ambiguous';
      readonly candidates: readonly WeighedCandidate[];
    };

/**
 * Odds, before any signal is looked at, that a fresh click from the same address is of the device that installs,
 * against "somebody else, or nobody who clicked".
 */
const PRIOR_ODDS = 0.8;
/** After this long a click is worth a factor e less. */
const AGE_SCALE_MS = 6 * HOUR_MS;
const THRESHOLD = 0.7;
/** The best device must be so many times as probable as the next. */
const MARGIN = 3;

/**
 * Which click's device made the install, if any. Devices compete with each other and with "nobody of these", whose
 * weight is 1; a posterior below the threshold, or too close to a rival's, is no match. Never the newest for being new.
 */
export function matchFingerprint(
  device: Signals,
  candidates: readonly Candidate[],
  nowMs: number,
): FingerprintMatch {
  const rivals = newestOfEachDevice(candidates).map((candidate) => {
    const weights = weighSignals(candidate.signals, device);
    const ageMs = Math.max(0, nowMs - candidate.clickedAtMs);
    return { candidate, weights, ageMs, odds: PRIOR_ODDS * Math.exp(sum(weights) - ageMs / AGE_SCALE_MS) };
  });
  const all = 1 + rivals.reduce((total, rival) => total + rival.odds, 0);
  const weighed = rivals
    .map(({ candidate, weights, ageMs, odds }) => ({
      clickId: candidate.clickId,
      ageSeconds: Math.round(ageMs / SECOND_MS),
      weights,
      probability: odds / all,
    }))
    .sort((a, b) => b.probability - a.probability);

  const [best, second] = weighed;
  if (best === undefined) return { clickId: null, reason: 'no_candidates', candidates: weighed };
  if (second !== undefined && best.probability < MARGIN * second.probability)
    return { clickId: null, reason: 'ambiguous', candidates: weighed };
  if (best.probability < THRESHOLD) return { clickId: null, reason: 'below_threshold', candidates: weighed };
  return { clickId: best.clickId, probability: best.probability, candidates: weighed };
}

/** Several clicks of one device are one hypothesis; its newest click is the one it followed. */
function newestOfEachDevice(candidates: readonly Candidate[]): Candidate[] {
  const newest = new Map<string, Candidate>();
  for (const candidate of candidates) {
    const known = newest.get(candidate.device);
    if (known === undefined || candidate.clickedAtMs > known.clickedAtMs)
      newest.set(candidate.device, candidate);
  }
  return [...newest.values()];
}

function sum(weights: SignalWeights): number {
  return Object.values(weights).reduce((total, weight) => total + weight, 0);
}
