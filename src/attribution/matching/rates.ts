/** Estimates, the same for every app. They are not learnt from installs: forged installs could shift them. */
import type { Signals } from '../../devices/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../lib/clock.ts';
import type { Agreement, SignalName } from '../trace.ts';

/** Probabilities of each agreement of a signal that both sides report; their sum is 1. */
export type Rates = Readonly<Record<Agreement, number>>;

/** A click and an install of one device. */
export const ONE_DEVICE: Readonly<Record<SignalName, Rates>> = {
  model: { same: 0.97, close: 0.028, different: 0.002 },
  screen: { same: 0.92, close: 0.05, different: 0.03 },
  osVersion: { same: 0.975, close: 0.01, different: 0.015 },
  language: { same: 0.92, close: 0.05, different: 0.03 },
  timezone: { same: 0.988, close: 0.01, different: 0.002 },
};

/** Two devices of one platform behind one address: they share a place and usually a language. */
export const TWO_DEVICES: Readonly<Record<SignalName, Rates>> = {
  model: { same: 0.05, close: 0.25, different: 0.7 },
  screen: { same: 0.1, close: 0.08, different: 0.82 },
  osVersion: { same: 0.176, close: 0.2, different: 0.624 },
  language: { same: 0.75, close: 0.1, different: 0.15 },
  timezone: { same: 0.957, close: 0.01, different: 0.033 },
};
/** One side reports fewer numbers of the version; `close` is then no evidence. */
export const TWO_COARSE_VERSIONS: Rates = {
  same: 0.466,
  close: ONE_DEVICE.osVersion.close,
  different: 0.524,
};
/** The click's version is Safari's: the minor one is the system's but for old systems, which get security updates only. */
export const TWO_SAFARI_VERSIONS: Rates = { same: 0.466, close: 0.184, different: 0.35 };
/** Phones of one model usually run one of two or three versions. */
export const TWO_VERSIONS_OF_ONE_MODEL: Rates = { same: 0.415, close: 0.25, different: 0.335 };
/** Phones of one model differ in their screen only by their settings. */
export const OTHER_SCREEN_OF_ONE_MODEL = 0.1;
/** Shares of the Apple devices that open links. */
export const APPLE_FAMILY_SHARES: ReadonlyMap<string, number> = new Map([
  ['iphone', 0.92],
  ['ipad', 0.07],
  ['ipod', 0.01],
]);

/** Share of iPads among the clicks with a Mac's Safari whose page did not run: an iPad gets the page and runs it. */
export const IPADS_AMONG_MACS = 0.05;

/** Share of the installs within 72 hours of their click, and the share of these from the click's address. */
const DELAY_BINS: readonly {
  readonly untilMs: number;
  readonly share: number;
  readonly sameAddress: number;
}[] = [
  { untilMs: 1 * MINUTE_MS, share: 0.1, sameAddress: 0.88 },
  { untilMs: 2 * MINUTE_MS, share: 0.11, sameAddress: 0.87 },
  { untilMs: 4 * MINUTE_MS, share: 0.15, sameAddress: 0.86 },
  { untilMs: 7 * MINUTE_MS, share: 0.13, sameAddress: 0.84 },
  { untilMs: 12 * MINUTE_MS, share: 0.11, sameAddress: 0.82 },
  { untilMs: 20 * MINUTE_MS, share: 0.085, sameAddress: 0.8 },
  { untilMs: 35 * MINUTE_MS, share: 0.07, sameAddress: 0.77 },
  { untilMs: 1 * HOUR_MS, share: 0.05, sameAddress: 0.74 },
  { untilMs: 2 * HOUR_MS, share: 0.05, sameAddress: 0.7 },
  { untilMs: 4 * HOUR_MS, share: 0.04, sameAddress: 0.65 },
  { untilMs: 8 * HOUR_MS, share: 0.035, sameAddress: 0.6 },
  { untilMs: 16 * HOUR_MS, share: 0.03, sameAddress: 0.55 },
  { untilMs: 24 * HOUR_MS, share: 0.02, sameAddress: 0.55 },
  { untilMs: 72 * HOUR_MS, share: 0.02, sameAddress: 0.5 },
];
const SAME_ADDRESS_SHARE = DELAY_BINS.reduce((sum, { share, sameAddress }) => sum + share * sameAddress, 0);

/** Share of the installs without a click ID that follow a click. A Play referrer names most clicks. */
const CLICKED_SHARE = { withoutReferrer: 0.3, withReferrer: 0.1 };
/** Devices behind an address that did not click. */
const UNSEEN_NEIGHBOURS = 0.5;

/** Density of the time from a click to its install from the same address, relative to a uniform one over the window. */
export function density(delayMs: number, windowMs: number): number {
  const bin = DELAY_BINS.findIndex(({ untilMs }) => delayMs <= untilMs);
  const { untilMs, share, sameAddress } = DELAY_BINS[bin] ?? {};
  if (untilMs === undefined || share === undefined || sameAddress === undefined) return 0;
  return ((share * windowMs) / (untilMs - (DELAY_BINS[bin - 1]?.untilMs ?? 0))) * sameAddress;
}

/**
 * Odds of a click, before its age and its signals.
 * @param others devices that clicked behind the address besides the click's own.
 */
export function priorOdds({ others, hasReferrer }: { others: number; hasReferrer: boolean }): number {
  const clicked = hasReferrer ? CLICKED_SHARE.withReferrer : CLICKED_SHARE.withoutReferrer;
  const allOthers = 1 - clicked * SAME_ADDRESS_SHARE;
  return clicked / allOthers / (others + UNSEEN_NEIGHBOURS);
}

/** Share of the other devices behind an address that would send the same signals. */
export function lookAlikeShare({ osVersion, model, languages }: Signals): number {
  return (
    (osVersion === null ? 1 : TWO_DEVICES.osVersion.same) *
    (model === null ? 1 : TWO_DEVICES.model.same) *
    (languages.length === 0 ? 1 : TWO_DEVICES.language.same)
  );
}
