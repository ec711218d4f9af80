/** How each candidate gets from the odds before comparing to its probability in the end; pure. */
import type { Trace, TraceCandidate, TraceCompared } from '@generated/types.gen.ts';

const SIGNALS = ['model', 'screen', 'osVersion', 'language', 'timezone'] as const;
type Signal = (typeof SIGNALS)[number];

export interface Step {
  readonly word: string;
  readonly more: string;
  /** Probabilities before and after the step; null where none is known. */
  readonly from: number | null;
  readonly to: number | null;
  readonly direction: 'right' | 'left' | 'none';
}

export interface Column {
  /** A, B, C. */
  readonly letter: string;
  readonly candidate: TraceCandidate;
  /** Further clicks that may be of the same phone. */
  readonly repeats: readonly TraceCandidate[];
  readonly isWon: boolean;
  /** The click of this phone that the install has, if `candidate` is another: the likeliest need not be the last. */
  readonly creditedId: string | null;
  readonly signals: readonly Step[];
  /** Before comparing. */
  readonly start: number | null;
  /** Whether a signal rules it out: nothing after that is compared. */
  readonly isRuledOut: boolean;
  readonly rivals: Step;
  readonly verdict: string;
}

/** Below, a signal hardly moves the line. */
const SAYS_LITTLE = 1.15;
const MOVES = 0.004;

/** Null where no clicks were compared. */
export function comparedOf({ fingerprint }: Trace): TraceCompared | null {
  return 'candidates' in fingerprint && fingerprint.candidates.length > 0 ? fingerprint : null;
}

/** @param clickId of the click that the install has. */
export function walkOf(trace: Trace, compared: TraceCompared, clickId: string | null): Column[] {
  const groups = groupByDevice(compared.candidates);
  const found = groups.findIndex((group) => group.some((each) => each.clickId === clickId));
  // The trace has the likeliest clicks alone, perhaps without the credited one.
  const wonIndex = found === -1 && clickId !== null && compared.outcome === 'matched' ? 0 : found;
  return groups.map((group, index) => {
    const [candidate, ...repeats] = group;
    if (candidate === undefined) throw new Error('a group without a click');
    const veto = vetoOf(trace, candidate);
    const start = candidate.priorOdds === undefined ? null : toProbability(candidate.priorOdds);
    const signals = signalSteps(candidate, veto);
    const isWon = index === wonIndex;
    const last = signals.at(-1)?.to ?? start;
    return {
      letter: String.fromCharCode(65 + index),
      ...{ candidate, repeats, isWon, start, signals },
      creditedId: isWon && candidate.clickId !== clickId ? clickId : null,
      isRuledOut: veto !== null,
      rivals: rivalStep(last, candidate.probability, { index, groups, compared }),
      verdict: verdictOf({ isWon, isRuledOut: veto !== null, hasWinner: wonIndex !== -1 }),
    };
  });
}

/** Clicks that may be of one phone are one column, led by the likeliest. */
function groupByDevice(candidates: readonly TraceCandidate[]): TraceCandidate[][] {
  const groups = new Map<string, TraceCandidate[]>();
  for (const candidate of candidates) {
    const { device = 0, clickId } = candidate;
    const key = device === 0 ? clickId : String(device);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [candidate]);
    else group.push(candidate);
  }
  return [...groups.values()];
}

/** The signal after which a click is ruled out. */
function vetoOf({ rejections }: Trace, { clickId, comparison }: TraceCandidate): Signal | null {
  const reason = rejections.find((each) => each.clickId === clickId)?.reason;
  if (reason === 'other_model') return 'model';
  if (reason === 'older_system') return 'osVersion';
  if (reason !== 'contradicts') return null;
  return SIGNALS.filter((signal) => comparison[signal] === 'different').at(-1) ?? null;
}

function signalSteps(candidate: TraceCandidate, veto: Signal | null): Step[] {
  const { comparison, weights, priorOdds } = candidate;
  let odds = priorOdds ?? null;
  const steps: Step[] = [];
  for (const signal of SIGNALS) {
    const agreement = comparison[signal];
    const weight = weights[signal] ?? 0;
    const from = odds === null ? null : toProbability(odds);
    if (odds !== null) odds = signal === veto ? 0 : odds * Math.exp(weight);
    const to = odds === null ? null : toProbability(odds);
    steps.push({
      word:
        agreement === undefined
          ? 'Not told'
          : { same: 'Same', close: 'Close', different: 'Different' }[agreement],
      more: signal === veto ? 'rules it out' : whatItSays(signal, weight, candidate),
      from,
      to,
      direction: directionOf(from, to, weight, signal === veto),
    });
    if (signal === veto) break;
  }
  return steps;
}

function directionOf(
  from: number | null,
  to: number | null,
  weight: number,
  isVeto: boolean,
): Step['direction'] {
  if (isVeto) return 'left';
  if (Math.exp(Math.abs(weight)) < SAYS_LITTLE) return 'none';
  if (from !== null && to !== null && Math.abs(to - from) < MOVES) return 'none';
  return weight > 0 ? 'right' : 'left';
}

function whatItSays(signal: Signal, weight: number, { comparison }: TraceCandidate): string {
  const agreement = comparison[signal];
  if (agreement === undefined) return signal === 'model' ? 'no browser tells it' : '';
  if (signal === 'screen' && weight === 0 && comparison.model === 'same') return 'the model says it';
  const times = Math.exp(Math.abs(weight));
  if (times < SAYS_LITTLE) return 'says little';
  const rounded = times >= 10 ? Math.round(times) : Math.round(times * 10) / 10;
  return `${rounded} × ${weight > 0 ? 'likelier' : 'less likely'}`;
}

/** Only one of the clicks can be it. */
function rivalStep(
  from: number | null,
  to: number,
  {
    index,
    groups,
    compared,
  }: { index: number; groups: readonly TraceCandidate[][]; compared: TraceCompared },
): Step {
  const next = String.fromCharCode(65 + (index === 0 ? 1 : 0));
  const isClose = compared.outcome === 'ambiguous' && index < 2;
  const hasRival = groups.length > 1 && from !== null && from - to > 0.01;
  const direction = from !== null && from - to > MOVES ? 'left' : 'none';
  if (isClose) return { word: `${next} fits as well`, more: '', from, to, direction };
  if (index > 0) return { word: 'A is likelier', more: '', from, to, direction };
  return { word: hasRival ? `${next} fits too` : 'No rival', more: '', from, to, direction };
}

function verdictOf({
  isWon,
  isRuledOut,
  hasWinner,
}: {
  isWon: boolean;
  isRuledOut: boolean;
  hasWinner: boolean;
}): string {
  if (isWon) return 'Matched';
  if (isRuledOut) return 'Another phone';
  return hasWinner ? 'Not this one' : 'Not enough';
}

function toProbability(odds: number): number {
  return odds / (1 + odds);
}
