/**
 * What the matching assumes of people and phones: estimates, the same for every app. They are not learnt from installs,
 * because the publishable key can make up as many installs as it likes.
 */
import type { Signals } from '../../devices/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';
import type { Agreement, SignalName } from './compare.ts';

/** How often a signal that both sides tell comes out so between two reports; sums to 1. */
type Rates = Readonly<Record<Agreement, number>>;

/** Between a click and the install of one device. */
export const ONE_DEVICE: Readonly<Record<SignalName, Rates>> = {
  model: { same: 0.97, close: 0.01, different: 0.02 },
  screen: { same: 0.92, close: 0.05, different: 0.03 },
  osVersion: { same: 0.94, close: 0.05, different: 0.01 },
  language: { same: 0.92, close: 0.05, different: 0.03 },
  timezone: { same: 0.97, close: 0.01, different: 0.02 },
};

/** Between two devices of one platform behind one address: they share a place and mostly a language. */
export const TWO_DEVICES: Readonly<Record<SignalName, Rates>> = {
  model: { same: 0.05, close: 0.01, different: 0.94 },
  screen: { same: 0.1, close: 0.08, different: 0.82 },
  osVersion: { same: 0.17, close: 0.2, different: 0.63 },
  language: { same: 0.75, close: 0.1, different: 0.15 },
  timezone: { same: 0.94, close: 0.01, different: 0.05 },
};
/** Where one side tells only the first number of its version. */
export const TWO_COARSE_VERSIONS: Rates = { same: 0.45, close: 0.05, different: 0.5 };
/** Phones of one model mostly run one of two or three versions. */
export const TWO_VERSIONS_OF_ONE_MODEL: Rates = { same: 0.4, close: 0.25, different: 0.35 };
/** Phones of one model seldom differ in their screen: only their owners' settings do. */
export const OTHER_SCREEN_OF_ONE_MODEL = 0.1;
/** Of the Apple devices that open links, by family. */
export const APPLE_FAMILY_SHARES: ReadonlyMap<string, number> = new Map([
  ['iphone', 0.92],
  ['ipad', 0.07],
  ['ipod', 0.01],
]);

/** When people install: the share of those who do within 72 hours, and of these the share that kept the click's address. */
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

/** Of the installs that name no click, the share by people who clicked. Where Play's referrer came, it would name most clicks. */
const CLICKED_SHARE = { withoutReferrer: 0.3, withReferrer: 0.1 };
/** How many count as being behind an address besides the devices that were seen there. */
const UNSEEN_NEIGHBOURS = 0.5;

/**
 * How many times as likely an install by the click's device, from the click's address, is now as at any moment of the
 * window: the density of the time from click to install, times the window's length.
 */
export function density(delayMs: number, windowMs: number): number {
  const bin = DELAY_BINS.findIndex(({ untilMs }) => delayMs <= untilMs);
  const { untilMs, share, sameAddress } = DELAY_BINS[bin] ?? {};
  if (untilMs === undefined || share === undefined || sameAddress === undefined) return 0;
  return ((share * windowMs) / (untilMs - (DELAY_BINS[bin - 1]?.untilMs ?? 0))) * sameAddress;
}

/**
 * Odds of a click before its age and its signals are looked at.
 * @param others devices that were seen behind the address besides the click's.
 */
export function priorOdds({ others, hasReferrer }: { others: number; hasReferrer: boolean }): number {
  const clicked = hasReferrer ? CLICKED_SHARE.withReferrer : CLICKED_SHARE.withoutReferrer;
  const allOthers = 1 - clicked * SAME_ADDRESS_SHARE;
  return clicked / allOthers / (others + UNSEEN_NEIGHBOURS);
}

/** Of the devices behind an address, the share that would say the same as a click does, as far as it tells anything. */
export function lookAlikeShare({ osVersion, model, languages }: Signals): number {
  return (
    (osVersion === null ? 1 : TWO_DEVICES.osVersion.same) *
    (model === null ? 1 : TWO_DEVICES.model.same) *
    (languages.length === 0 ? 1 : TWO_DEVICES.language.same)
  );
}
