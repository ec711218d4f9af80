/**
 * What an app's certain matches (by referrer or click ID) teach about true pairs: how often each signal agrees, how soon
 * people install, and whether they still have the click's address. Every estimate starts from a default that counts as
 * some pairs, and stays within bounds, so that a few pairs, or an attacker's, do not bend it far.
 */
import type { Platform, Signals } from '../../devices/index.ts';
import { HOUR_MS, MINUTE_MS } from '../../platform/clock.ts';
import { type Agreement, compareSignals, SIGNAL_NAMES, type SignalName } from './compare.ts';
import { ModelNames } from './model-names.ts';
import type { Tally } from './tally.ts';

/** How often a signal that both sides tell agrees between a click and the install of the same device; sums to 1. */
type AgreementRates = Readonly<Record<Agreement, number>>;

const DEFAULT_RATES: Record<SignalName, AgreementRates> = {
  model: { same: 0.97, close: 0.01, different: 0.02 },
  screen: { same: 0.9, close: 0.08, different: 0.02 },
  osVersion: { same: 0.94, close: 0.05, different: 0.01 },
  language: { same: 0.84, close: 0.11, different: 0.05 },
  timezone: { same: 0.97, close: 0.01, different: 0.02 },
};

/** A signal may come to count for less than these say, and for little more: a pair is easily made up. */
const MIN_RATE = 0.004;
const MAX_RATE = 0.995;

/** When people install: the share of those who do within 72 hours, by the time since their click. Estimates. */
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

/** So many pairs', or installs', worth of doubt about each estimate. */
const DOUBT = 60;

/** Of the installs that name no click, the share by people who clicked: the default, and how far it may be moved. */
const DEFAULT_CLICKED_SHARE = 0.5;
const CLICKED_SHARE_BOUNDS = [0.02, 0.9] as const;

/**
 * How many who might install are behind an address besides those seen there: the square of how many are usual. Where
 * crowds are usual, an address that seems to have none is likely to hide one; in made-up traffic of nine kinds
 * (`bench/matching`) the confidences fit best so.
 */
const LEAST_UNSEEN = 0.1;
const USUAL_NEIGHBOURS = 1;
const MAX_COUNTED_NEIGHBOURS = 50;

/** One address teaches so much and no more, however many installs are made up behind it. */
const MAX_PAIRS_FROM_ADDRESS = 1;
const MAX_COMPARISONS_FROM_ADDRESS = 5;
/** Old installs fade: at this many the counts are halved. */
const MAX_INSTALLS = 10_000;

/** One certain match. */
interface TruePair {
  readonly platform: Platform;
  readonly click: Signals;
  readonly device: Signals;
  readonly delayMs: number;
  /** Null where either address is not known. */
  readonly isSameAddress: boolean | null;
  /** Whoever taught this: its address, or the hash of it. */
  readonly source: string | null;
}

/** What a fingerprint's comparison came to. */
interface ComparedInstall {
  readonly platform: Platform;
  /** Devices seen behind its address. */
  readonly crowd: number;
  /** Of each candidate, to have made it. */
  readonly probabilities: readonly number[];
  readonly source: string | null;
}

export class Calibration {
  readonly #agreements: Record<Platform, Record<SignalName, Record<Agreement, number>>> = {
    ANDROID: emptyAgreements(),
    IOS: emptyAgreements(),
  };
  readonly #modelNames = new ModelNames();
  readonly #delays = DELAY_BINS.map(() => 0);
  readonly #addresses = DELAY_BINS.map(() => ({ same: 0, all: 0 }));
  readonly #comparisons: Record<Platform, { installs: number; clicked: number; neighbours: number }> = {
    ANDROID: { installs: 0, clicked: 0, neighbours: 0 },
    IOS: { installs: 0, clicked: 0, neighbours: 0 },
  };
  #pairs = 0;

  /** @param taught how many pairs each source has taught so far. */
  learnPair({ platform, click, device, delayMs, isSameAddress, source }: TruePair, taught: Tally): void {
    if (!mayTeach(taught, source, MAX_PAIRS_FROM_ADDRESS)) return;
    const comparison = compareSignals(click, device);
    this.#modelNames.learn(click, device, comparison.model);
    for (const name of SIGNAL_NAMES) {
      const agreement = comparison[name];
      if (agreement !== undefined) this.#agreements[platform][name][agreement] += 1;
    }
    const bin = binOf(delayMs);
    if (bin === -1) return;
    this.#pairs += 1;
    this.#delays[bin] = (this.#delays[bin] ?? 0) + 1;
    const addresses = this.#addresses[bin];
    if (isSameAddress === null || addresses === undefined) return;
    addresses.all += 1;
    if (isSameAddress) addresses.same += 1;
  }

  /** @param taught how many comparisons each source has taught so far. */
  learnComparison({ platform, crowd, probabilities, source }: ComparedInstall, taught: Tally): void {
    // A sum never gets rid of what is no number.
    if (![crowd, ...probabilities].every(Number.isFinite)) return;
    if (!mayTeach(taught, source, MAX_COMPARISONS_FROM_ADDRESS)) return;
    const matched = Math.min(
      1,
      probabilities.reduce((sum, probability) => sum + probability, 0),
    );
    const seen = this.#comparisons[platform];
    seen.installs += 1;
    // Of those who clicked, some have another address by now and are compared with strangers.
    seen.clicked += Math.min(1, matched / this.sameAddressShare);
    seen.neighbours += Math.min(MAX_COUNTED_NEIGHBOURS, Math.max(0, crowd - matched));
    if (seen.installs >= MAX_INSTALLS)
      this.#comparisons[platform] = {
        installs: seen.installs / 2,
        clicked: seen.clicked / 2,
        neighbours: seen.neighbours / 2,
      };
  }

  rates(platform: Platform, name: SignalName): AgreementRates {
    const seen = this.#agreements[platform][name];
    const expected = DEFAULT_RATES[name];
    const total = seen.same + seen.close + seen.different + DOUBT;
    const rate = (agreement: Agreement) =>
      clamp((seen[agreement] + DOUBT * expected[agreement]) / total, MIN_RATE, MAX_RATE);
    return { same: rate('same'), close: rate('close'), different: rate('different') };
  }

  /** Whether the app's SDK calls the click's model by the device's name. */
  areOfOneModel(click: Signals, device: Signals): boolean {
    return this.#modelNames.areOfOneModel(click, device);
  }

  /**
   * How many times as likely an install by the click's device, from the click's address, is now as at any moment of the
   * window: the density of the time from click to install, times the window's length.
   */
  density(delayMs: number, windowMs: number): number {
    const bin = binOf(delayMs);
    const { untilMs } = DELAY_BINS[bin] ?? {};
    if (untilMs === undefined) return 0;
    const widthMs = untilMs - (DELAY_BINS[bin - 1]?.untilMs ?? 0);
    return ((this.#delayShare(bin) * windowMs) / widthMs) * this.#sameAddressShare(bin);
  }

  /** Over all delays: of the people who clicked and installed, the share that still had the click's address. */
  get sameAddressShare(): number {
    return DELAY_BINS.reduce(
      (sum, _bin, bin) => sum + this.#delayShare(bin) * this.#sameAddressShare(bin),
      0,
    );
  }

  /** Of the installs that name no click, the share by people who clicked. */
  clickedShare(platform: Platform): number {
    const { installs, clicked } = this.#comparisons[platform];
    const [least, most] = CLICKED_SHARE_BOUNDS;
    return clamp((clicked + DOUBT * DEFAULT_CLICKED_SHARE) / (installs + DOUBT), least, most);
  }

  /** How many count as being behind an address besides those that were seen there. */
  get unseenNeighbours(): number {
    const { ANDROID, IOS } = this.#comparisons;
    const neighbours = ANDROID.neighbours + IOS.neighbours + DOUBT * USUAL_NEIGHBOURS;
    const usual = neighbours / (ANDROID.installs + IOS.installs + DOUBT);
    return Math.max(LEAST_UNSEEN, usual ** 2);
  }

  #delayShare(bin: number): number {
    const expected = DELAY_BINS[bin]?.share ?? 0;
    return ((this.#delays[bin] ?? 0) + DOUBT * expected) / (this.#pairs + DOUBT);
  }

  /** A bin's own experience, as far as there is any, on top of the default. */
  #sameAddressShare(bin: number): number {
    const { same, all } = this.#addresses[bin] ?? { same: 0, all: 0 };
    const expected = DELAY_BINS[bin]?.sameAddress ?? 0;
    return clamp((same + DOUBT * expected) / (all + DOUBT), 0.1, 0.97);
  }
}

function binOf(delayMs: number): number {
  return delayMs < 0 ? -1 : DELAY_BINS.findIndex(({ untilMs }) => delayMs <= untilMs);
}

/** Counts a lesson; false where its source has taught enough. */
function mayTeach(lessons: Tally, source: string | null, most: number): boolean {
  if (source === null) return true;
  if (lessons.of(source) >= most) return false;
  lessons.add(source);
  return true;
}

function clamp(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}

function emptyAgreements(): Record<SignalName, Record<Agreement, number>> {
  const none = () => ({ same: 0, close: 0, different: 0 });
  return { model: none(), screen: none(), osVersion: none(), language: none(), timezone: none() };
}
