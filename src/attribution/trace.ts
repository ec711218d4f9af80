/** Why an install or open has its click, or none: as decided, stored, answered and shown. */
import { type Static, Type } from 'typebox';
import { NetworkFinding } from '../networks/index.ts';
import { Named, Nullable, SentAsIs } from '../server/schemas.ts';

const METHODS = ['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'] as const;
/** ORGANIC if no click was found. */
export const Method = Type.Enum([...METHODS]);
export type Method = Static<typeof Method>;

/**
 * `close` differences occur on one device: the same language in another region, another zone with the same offset, a
 * minor system update, a screen without its navigation bar.
 */
const Agreement = Type.Enum(['same', 'close', 'different']);
export type Agreement = Static<typeof Agreement>;

/** Only signals that both sides report. */
const Comparison = Named('TraceComparison', {
  model: Type.Optional(Agreement),
  screen: Type.Optional(Agreement),
  osVersion: Type.Optional(Agreement),
  language: Type.Optional(Agreement),
  timezone: Type.Optional(Agreement),
});
export type Comparison = Static<typeof Comparison>;
export type SignalName = keyof Comparison;

const Weight = Type.Optional(Type.Number());
/** Of the signals that were compared. */
const Weights = Named('TraceWeights', {
  model: Weight,
  screen: Weight,
  osVersion: Weight,
  language: Weight,
  timezone: Weight,
});
export type SignalWeights = Static<typeof Weights>;

const Candidate = Named('TraceCandidate', {
  clickId: Type.String(),
  ageSeconds: Type.Integer(),
  comparison: Comparison,
  weights: Weights,
  priorOdds: Type.Optional(
    Type.Number({
      description:
        'Before the signals are compared: from the age of the click and the crowd. Times e^(sum of weights), the odds after. Absent from the earliest installs',
    }),
  ),
  device: Type.Optional(
    Type.Integer({
      description:
        'Clicks with one number may be of one device, so that their probabilities need not add up; 0 if negligible. Absent from the earliest installs',
    }),
  ),
  olderThanClaimed: Type.Optional(
    Type.Boolean({ description: 'An identical device has claimed a later click' }),
  ),
  probability: Type.Number({ description: 'Posterior that this click’s device made the install' }),
});
/** A compared click. */
export type ScoredCandidate = Static<typeof Candidate>;

/** Why a click cannot belong to the install's device, whatever else agrees. */
const VETOES = ['other_model', 'older_system', 'contradicts'] as const;
export type Veto = (typeof VETOES)[number];

/** Why a click was not matched. `unknown` covers clicks of other apps, so that it does not reveal them. */
const Rejection = Type.Enum([
  'malformed',
  'unknown',
  // Only in traces of earlier versions, which refused the click IDs of bots.
  'not_claimable',
  'sandbox',
  'outside_window',
  'after_install_began',
  'token_expired',
  'already_claimed',
  'other_platform',
  'unknown_platform',
  ...VETOES,
]);
export type Rejection = Static<typeof Rejection>;

const RejectedClick = Named('TraceRejection', {
  method: Method,
  clickId: Nullable(Type.String(), {
    description: 'Null for a malformed ID: it may be any text, even a person’s name',
  }),
  reason: Rejection,
});
export type RejectedClick = Static<typeof RejectedClick>;

const Compared = Named('TraceCompared', {
  outcome: Type.Enum(['matched', 'no_candidates', 'nothing_agrees', 'below_threshold', 'ambiguous']),
  crowd: Type.Number({ description: 'Estimated number of devices behind the address' }),
  threshold: Type.Number({ description: 'Least probability of a match' }),
  margin: Type.Number({ description: 'Least ratio of the best device’s odds to the next one’s' }),
  considered: Type.Integer({ description: 'Number of candidates' }),
  candidates: Type.Array(Candidate, { description: 'The most probable five' }),
});
export type Compared = Static<typeof Compared>;

const NotCompared = Named('TraceNotCompared', {
  outcome: Type.Enum(['not_needed', 'deterministic_only', 'disabled', 'no_address', 'existing_user']),
});

/** Identifiers and weights only, never a signal's value. */
const DecidedTrace = Named('Trace', {
  method: Method,
  windowHours: Named('TraceWindows', {
    referrer: Type.Integer(),
    clickId: Type.Integer(),
    fingerprint: Type.Integer(),
  }),
  referrer: Type.Enum(['none', 'no_click_id', 'click_id'], { description: 'What Play’s referrer names' }),
  rejections: Type.Array(RejectedClick, { description: 'The first 20' }),
  rejected: Type.Integer({ description: 'Number of rejected clicks' }),
  fingerprint: Type.Union([Compared, NotCompared]),
  network: Type.Optional(
    Type.Array(NetworkFinding, {
      description: 'Of an install: what came of the evidence of each ad network, which changes no method',
    }),
  ),
});
export type Trace = Static<typeof DecidedTrace>;

/** Of an open by the link itself, which has no decision. */
const DirectTrace = Named('DirectTrace', { method: Type.Enum(['DIRECT']) });
export type StoredTrace = Trace | Static<typeof DirectTrace>;

const description =
  'Windows, rejected clicks with their reasons, the weights of each candidate’s signals, and the thresholds. No signal values';
/** In answers. What other versions stored has more or fewer fields. */
export const TraceOfInstall = SentAsIs(DecidedTrace, { description });
export const TraceOfOpen = SentAsIs(Type.Union([DecidedTrace, DirectTrace]), { description });

/** Reads a stored trace; fills in what the earliest versions left out. */
export function readTrace(text: string): StoredTrace {
  const stored = JSON.parse(text) as StoredTrace;
  if (stored.method === 'DIRECT') return stored;
  const { method, windowHours, referrer = 'none', rejections, rejected, ...rest } = stored;
  return { method, windowHours, referrer, rejections, rejected: rejected ?? rejections.length, ...rest };
}

/** Rounds numbers to four decimal places. */
export function presentTrace<T extends StoredTrace>(trace: T): T {
  return rounded(trace) as T;
}

function rounded(value: unknown): unknown {
  if (typeof value === 'number') return Number(value.toFixed(4));
  if (Array.isArray(value)) return value.map(rounded);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, rounded(part)]));
}
