import type { Signals } from '../../devices/index.ts';
import { HOUR_MS, SECOND_MS } from '../../lib/clock.ts';
import type { Comparison, ScoredCandidate, SignalWeights, Veto } from '../trace.ts';
import { compareSignals, contradict, SIGNAL_NAMES, vetoOf } from './compare.ts';
import { density, lookAlikeShare, priorOdds } from './rates.ts';
import { weighSignals } from './weigh.ts';

/** An unclaimed click from the install's address, within the window. */
export interface Candidate {
  readonly clickId: string;
  readonly linkId: string;
  readonly clickedAtMs: number;
  readonly signals: Signals;
  /** Whether an identical device has claimed a later click: this one is then probably from that device too. */
  readonly isOlderThanClaimed: boolean;
}

export interface MatchInput {
  readonly device: Signals;
  readonly candidates: readonly Candidate[];
  /** Estimated number of devices behind the install's address within the window, those of the candidates included. */
  readonly crowd: number;
  readonly nowMs: number;
  readonly windowHours: number;
  /** Whether the install has a Play referrer: it names no click, or none that can be claimed. */
  readonly hasReferrer: boolean;
  /**
   * Least probability of a match. At 0.7, the default, 99 % of the matches on synthetic traffic (`bench/matching`) were
   * correct, in a dense city 97 %.
   */
  readonly threshold: number;
}

/** Candidates include the vetoed clicks, with probability 0. */
type FingerprintMatch = {
  readonly candidates: readonly ScoredCandidate[];
  readonly vetoed: readonly { readonly clickId: string; readonly reason: Veto }[];
} & (
  | { readonly clickId: string; readonly probability: number }
  | {
      readonly clickId: null;
      readonly reason: 'no_candidates' | 'nothing_agrees' | 'below_threshold' | 'ambiguous';
    }
);

/** Least ratio of the best device's odds to the next one's. */
export const MARGIN = 3;

/**
 * Finds the click whose device made the install.
 *
 * Installs are modelled as events in time. A click leads to an install with a density that falls with its age. All other
 * causes (another person, or no click) produce installs at a constant rate that grows with the number of devices behind
 * the address. The odds of a click against that rate are
 *
 *   share of installs that follow a click from the same address
 *   ─────────────────────────────────────────────────────────── × density(age) × exp(sum of weights) ÷ others
 *   share of all other installs
 *
 * and the odds of all clicks give the posterior (Bayes). A posterior below the threshold, or odds within MARGIN of another
 * device's click, are no match. Recency alone never decides.
 */
export function matchFingerprint(input: MatchInput): FingerprintMatch {
  const scores = scoreCandidates(input);
  const total = 1 + scores.reduce((sum, { odds, independence }) => sum + odds * independence, 0);
  const candidates = scores.map(({ candidate, comparison, weights, priorOdds, device, odds }) => ({
    clickId: candidate.clickId,
    ageSeconds: Math.round((input.nowMs - candidate.clickedAtMs) / SECOND_MS),
    comparison,
    weights,
    priorOdds,
    device,
    ...(candidate.isOlderThanClaimed && { olderThanClaimed: true as const }),
    probability: odds / total,
  }));
  const vetoed = scores.flatMap(({ candidate: { clickId }, veto }) =>
    veto === null ? [] : [{ clickId, reason: veto }],
  );
  const [best, ...others] = scores;
  if (best === undefined) return { clickId: null, reason: 'no_candidates', candidates, vetoed };
  const next = Math.max(0, ...others.map(({ odds, independence }) => odds * independence));
  const probability = best.odds / total;
  // A shared address alone is no evidence.
  if (!Object.values(best.comparison).includes('same'))
    return { clickId: null, reason: 'nothing_agrees', candidates, vetoed };
  // NaN fails both comparisons.
  if (!(best.odds >= MARGIN * next)) return { clickId: null, reason: 'ambiguous', candidates, vetoed };
  if (!(probability >= input.threshold))
    return { clickId: null, reason: 'below_threshold', candidates, vetoed };
  return { clickId: creditedClick(best, scores).clickId, probability, candidates, vetoed };
}

interface Score {
  readonly candidate: Candidate;
  readonly comparison: Comparison;
  readonly weights: SignalWeights;
  readonly veto: Veto | null;
  /** Without the weights. */
  readonly priorOdds: number;
  /** From 1, best first; 0 if the odds are negligible. */
  readonly device: number;
  /** Against another person's install, or one that follows no click. */
  readonly odds: number;
  /** Probability that this click is from another device than all clicks with higher odds. */
  readonly independence: number;
}

/** 300 clicks with these odds do not change the fourth digit of a probability. */
const NEGLIGIBLE_ODDS = 1e-7;

/** Best first. Clicks that do not contradict each other count as one device that clicked repeatedly. */
function scoreCandidates(input: MatchInput): Score[] {
  const prior = priorOdds({ others: otherDevices(input), hasReferrer: input.hasReferrer });
  const devices: Candidate[] = [];
  /** By the signals of its clicks. */
  const deviceOf = new Map<string, number>();
  return input.candidates
    .map((candidate) => scoreCandidate(input, candidate, prior))
    .sort((a, b) => b.odds - a.odds)
    .map((score) => {
      const { candidate, odds } = score;
      if (odds < NEGLIGIBLE_ODDS) return score;
      const signals = JSON.stringify(candidate.signals);
      const found = devices.findIndex((device) => mayBeSameDevice(device, candidate)) + 1;
      const repeated = deviceOf.get(signals) ?? (found === 0 ? undefined : found);
      const device = repeated ?? devices.push(candidate);
      deviceOf.set(signals, device);
      if (repeated === undefined) return { ...score, device };
      return { ...score, device, independence: lookAlikeProbability(input, candidate) };
    });
}

/**
 * Credits the last click of the device. A later click on another link takes the credit only if it agrees as much: a click
 * with few headers contradicts no phone behind the address and would take the credit of every one.
 */
function creditedClick(best: Score, scores: readonly Score[]): Candidate {
  const ofDevice = scores.filter((score) => mayBeOfDevice(best, score));
  // The highest odds may come from recency alone.
  const strongest = ofDevice
    .filter(({ odds }) => MARGIN * odds >= best.odds)
    .reduce((most, score) => (sum(score.weights) > sum(most.weights) ? score : most), best);
  return ofDevice
    .filter(
      (score) => score.candidate.linkId === strongest.candidate.linkId || agreesAsMuch(score, strongest),
    )
    .map(({ candidate }) => candidate)
    .reduce((last, candidate) => (candidate.clickedAtMs > last.clickedAtMs ? candidate : last));
}

/** Not contradicting the best click is not enough, since another device's click may not either: it must match the install. */
function mayBeOfDevice(best: Score, { candidate, comparison, veto }: Score): boolean {
  return (
    veto === null &&
    mayBeSameDevice(best.candidate, candidate) &&
    (best.candidate.isOlderThanClaimed || !candidate.isOlderThanClaimed) &&
    Object.values(comparison).includes('same') &&
    SIGNAL_NAMES.every((name) => comparison[name] !== 'different' || best.comparison[name] === 'different')
  );
}

function agreesAsMuch({ comparison }: Score, other: Score): boolean {
  return SIGNAL_NAMES.every((name) => {
    const agreement = other.comparison[name];
    if (agreement === 'same') return comparison[name] === 'same';
    return agreement !== 'close' || comparison[name] === 'same' || comparison[name] === 'close';
  });
}

function scoreCandidate(input: MatchInput, candidate: Candidate, prior: number): Score {
  const { device, nowMs, windowHours } = input;
  const comparison = compareSignals(candidate.signals, device);
  const weights = weighSignals(comparison, candidate.signals, device);
  const veto = vetoOf(comparison, candidate.signals, device);
  // Another machine's clock may be ahead, and this one may have been set back.
  const delayMs = Math.max(0, nowMs - candidate.clickedAtMs);
  const likelihood = veto === null ? Math.exp(sum(weights)) : 0;
  const unclaimed = candidate.isOlderThanClaimed ? lookAlikeProbability(input, candidate) : 1;
  const priorOdds = prior * density(delayMs, windowHours * HOUR_MS) * unclaimed;
  return {
    candidate,
    comparison,
    weights,
    veto,
    priorOdds,
    device: 0,
    odds: priorOdds * likelihood,
    independence: 1,
  };
}

function otherDevices({ crowd }: MatchInput): number {
  return Math.max(0, crowd - 1);
}

function mayBeSameDevice(a: Candidate, b: Candidate): boolean {
  const [earlier, later] = a.clickedAtMs <= b.clickedAtMs ? [a, b] : [b, a];
  return !contradict(earlier.signals, later.signals);
}

/** Odds that two identical clicks are from one device rather than from a given other device that looks the same. */
const REPEAT_ODDS = 1.5;

/** Probability that one of two identical clicks is from another device that looks the same. */
function lookAlikeProbability(input: MatchInput, { signals }: Candidate): number {
  const lookAlikes = otherDevices(input) * lookAlikeShare(signals);
  return lookAlikes / (lookAlikes + REPEAT_ODDS);
}

function sum(weights: SignalWeights): number {
  return Object.values(weights).reduce((total, weight) => total + weight, 0);
}
