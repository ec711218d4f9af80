import type { Signals } from '../../devices/index.ts';
import { HOUR_MS, SECOND_MS } from '../../platform/clock.ts';
import { type Comparison, compareSignals, contradict, SIGNAL_NAMES, type Veto, vetoOf } from './compare.ts';
import { density, lookAlikeShare, priorOdds } from './rates.ts';
import { type SignalWeights, weighSignals } from './weigh.ts';

/** A click from the install's address, in the window, that nobody claimed. */
export interface Candidate {
  readonly clickId: string;
  readonly linkId: string;
  readonly clickedAtMs: number;
  readonly signals: Signals;
  /** Whether a device that looks the same has claimed a later click: then this one was mostly its own, too. */
  readonly isOlderThanClaimed: boolean;
}

/** What an install is matched against. */
export interface Scene {
  readonly device: Signals;
  readonly candidates: readonly Candidate[];
  /** Devices that were seen behind the install's address within the window, the candidates' among them. */
  readonly crowd: number;
  readonly nowMs: number;
  readonly windowHours: number;
  /** Whether Play's referrer came: it names no click, or none that may be taken. */
  readonly hasReferrer: boolean;
}

/** A candidate as the trace keeps it: no value of a signal is in it. */
export interface WeighedCandidate {
  readonly clickId: string;
  readonly ageSeconds: number;
  readonly comparison: Comparison;
  readonly weights: SignalWeights;
  /** Only where it is so; the click counts for as much as it is likely to be a twin's. */
  readonly olderThanClaimed?: true;
  /** Posterior that this click's device made the install. */
  readonly probability: number;
}

/** The vetoed clicks are among the candidates too, with their comparison and probability 0. */
type FingerprintMatch = {
  readonly candidates: readonly WeighedCandidate[];
  readonly vetoed: readonly { readonly clickId: string; readonly reason: Veto }[];
} & (
  | { readonly clickId: string; readonly probability: number }
  | {
      readonly clickId: null;
      readonly reason: 'no_candidates' | 'nothing_agrees' | 'below_threshold' | 'ambiguous';
    }
);

/** On made-up traffic (`bench/matching`), matches at or above it were right in 99 of 100 cases, in a dense city in 97. */
export const THRESHOLD = 0.7;
/** The best device must be so many times as probable as the next. */
export const MARGIN = 3;

/**
 * Which click's device made the install, if any.
 *
 * Installs are taken as events in time. A click brings one with a density that falls with its age; "somebody else, or
 * nobody who clicked" brings one at a steady rate, the higher the more devices there are behind the address. Each
 * click's odds against that rate are
 *
 *   share of installs by people who clicked and still have their address
 *   ──────────────────────────────────────────────────────────────────── × density(age) × exp(sum of weights) ÷ others
 *   share of all other installs
 *
 * and the posterior follows from the odds of all of them (Bayes). Below the threshold, or too close to a click of
 * another device: no match. Never the newest for being new.
 */
export function matchFingerprint(scene: Scene): FingerprintMatch {
  const rivals = rivalsIn(scene);
  const all = 1 + rivals.reduce((total, { odds, apart }) => total + odds * apart, 0);
  const candidates = rivals.map(({ candidate, comparison, weights, odds }) => ({
    clickId: candidate.clickId,
    ageSeconds: Math.round((scene.nowMs - candidate.clickedAtMs) / SECOND_MS),
    comparison,
    weights,
    ...(candidate.isOlderThanClaimed && { olderThanClaimed: true as const }),
    probability: odds / all,
  }));
  const vetoed = rivals.flatMap(({ candidate: { clickId }, veto }) =>
    veto === null ? [] : [{ clickId, reason: veto }],
  );
  const found = { candidates, vetoed };
  const [best, ...others] = rivals;
  if (best === undefined) return { clickId: null, reason: 'no_candidates', ...found };
  const next = Math.max(0, ...others.map(({ odds, apart }) => odds * apart));
  const probability = best.odds / all;
  // An address alone is nobody's: the newest click there may be anybody's.
  if (!Object.values(best.comparison).includes('same'))
    return { clickId: null, reason: 'nothing_agrees', ...found };
  // Written so that what is no number is no match.
  if (!(best.odds >= MARGIN * next)) return { clickId: null, reason: 'ambiguous', ...found };
  if (!(probability >= THRESHOLD)) return { clickId: null, reason: 'below_threshold', ...found };
  return { clickId: creditedClick(best, rivals).clickId, probability, ...found };
}

interface Rival {
  readonly candidate: Candidate;
  readonly comparison: Comparison;
  readonly weights: SignalWeights;
  readonly veto: Veto | null;
  /** Against "somebody else, or nobody who clicked". */
  readonly odds: number;
  /** The probability that this click is of a device of its own, not of one that stands before it. */
  readonly apart: number;
}

/** Three hundred of these change no confidence in the fourth place. */
const NEGLIGIBLE_ODDS = 1e-7;

/**
 * The strongest first. Clicks that contradict each other in nothing are one hypothesis, for which the strongest stands: a
 * device that clicked twice, in one browser or two.
 */
function rivalsIn(scene: Scene): Rival[] {
  const prior = priorOdds({ others: othersBehind(scene), hasReferrer: scene.hasReferrer });
  const weighed = scene.candidates.map((candidate) => weighCandidate(scene, candidate, prior));
  const devices: Rival[] = [];
  const looks = new Set<string>();
  return weighed
    .sort((a, b) => b.odds - a.odds)
    .map((rival) => {
      // What cannot be the install's device competes with nobody.
      if (rival.odds < NEGLIGIBLE_ODDS) return rival;
      const look = JSON.stringify(rival.candidate.signals);
      const isRepeat =
        looks.has(look) || devices.some((device) => mayBeOneDevice(device.candidate, rival.candidate));
      looks.add(look);
      if (isRepeat) return { ...rival, apart: chanceOfTwin(scene, rival.candidate) };
      devices.push(rival);
      return rival;
    });
}

/**
 * The click that a device followed is its last one. Of two links, the later click takes the credit only if it agrees as
 * much: a tap with few headers contradicts no phone behind the address, so it would take the credit of every one.
 */
function creditedClick(best: Rival, rivals: readonly Rival[]): Candidate {
  const own = rivals.filter((rival) => mayBeOfDevice(best, rival));
  // The best one may owe its odds to its age alone.
  const strongest = own
    .filter(({ odds }) => MARGIN * odds >= best.odds)
    .reduce((most, rival) => (sum(rival.weights) > sum(most.weights) ? rival : most), best);
  return own
    .filter((rival) => isOfOneLink(rival, strongest) || agreesAsMuch(rival, strongest))
    .map(({ candidate }) => candidate)
    .reduce((last, candidate) => (candidate.clickedAtMs > last.clickedAtMs ? candidate : last));
}

/** A click that only lacks a contradiction to the best one may be a neighbour's: it must agree with the install, too. */
function mayBeOfDevice(best: Rival, { candidate, comparison, veto }: Rival): boolean {
  return (
    veto === null &&
    mayBeOneDevice(best.candidate, candidate) &&
    (best.candidate.isOlderThanClaimed || !candidate.isOlderThanClaimed) &&
    Object.values(comparison).includes('same') &&
    SIGNAL_NAMES.every((name) => comparison[name] !== 'different' || best.comparison[name] === 'different')
  );
}

function isOfOneLink(a: Rival, b: Rival): boolean {
  return a.candidate.linkId === b.candidate.linkId;
}

/** Whether a click agrees with the install in each signal in which another one does, and no less. */
function agreesAsMuch({ comparison }: Rival, other: Rival): boolean {
  return SIGNAL_NAMES.every((name) => {
    const agreement = other.comparison[name];
    if (agreement === 'same') return comparison[name] === 'same';
    return agreement !== 'close' || comparison[name] === 'same' || comparison[name] === 'close';
  });
}

function weighCandidate(scene: Scene, candidate: Candidate, prior: number): Rival {
  const { device, nowMs, windowHours } = scene;
  const comparison = compareSignals(candidate.signals, device);
  const weights = weighSignals(comparison, candidate.signals, device);
  const veto = vetoOf(comparison, candidate.signals, device);
  // Another machine's clock may be ahead, and this one may have been set back.
  const delayMs = Math.max(0, nowMs - candidate.clickedAtMs);
  const likelihood = veto === null ? Math.exp(sum(weights)) : 0;
  const unspent = candidate.isOlderThanClaimed ? chanceOfTwin(scene, candidate) : 1;
  const odds = prior * density(delayMs, windowHours * HOUR_MS) * likelihood * unspent;
  return { candidate, comparison, weights, veto, odds, apart: 1 };
}

function othersBehind({ crowd }: Scene): number {
  return Math.max(0, crowd - 1);
}

function mayBeOneDevice(a: Candidate, b: Candidate): boolean {
  const [first, later] = a.clickedAtMs <= b.clickedAtMs ? [a, b] : [b, a];
  return !contradict(first.signals, later.signals);
}

/** A click like another one is of the same device so many times as often as of one of the others who look like it. */
const REPEAT_ODDS = 1.5;

/** In a crowd, a click that looks like another one may be of another device like it. */
function chanceOfTwin(scene: Scene, { signals }: Candidate): number {
  const twins = othersBehind(scene) * lookAlikeShare(signals);
  return twins / (twins + REPEAT_ODDS);
}

function sum(weights: SignalWeights): number {
  return Object.values(weights).reduce((total, weight) => total + weight, 0);
}
