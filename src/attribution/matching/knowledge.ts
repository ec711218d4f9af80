import type { Platform, Signals } from '../../devices/index.ts';
import { Calibration } from './calibration.ts';
import { Population } from './population.ts';
import { Tally } from './tally.ts';

/** What is known of an app's traffic: it starts from defaults and learns from the app's own installs. */
export interface Knowledge {
  readonly population: Population;
  readonly calibration: Calibration;
}

/** Knowledge that learns still: it has to know who has taught what already, which takes far more room than what was taught. */
export interface Learning extends Knowledge {
  readonly taught: { readonly values: Tally; readonly pairs: Tally; readonly comparisons: Tally };
}

const MAX_SOURCES = 20_000;
const MAX_VALUES_OF_SOURCES = 50_000;

/** Nothing but the defaults. */
export function newKnowledge(): Learning {
  const taught = {
    values: new Tally(MAX_VALUES_OF_SOURCES),
    pairs: new Tally(MAX_SOURCES),
    comparisons: new Tally(MAX_SOURCES),
  };
  return { population: new Population(), calibration: new Calibration(), taught };
}

/** An install as it was decided. */
export interface KnownInstall {
  readonly platform: Platform;
  readonly device: Signals;
  /** Its address, or the hash of it; null where it is not known. */
  readonly address: string | null;
  readonly installedAtMs: number;
  /** The click that it named by referrer or click ID, where that was accepted. */
  readonly namedClick: {
    readonly signals: Signals;
    readonly address: string | null;
    readonly clickedAtMs: number;
  } | null;
  /** What the comparison with the clicks from its address came to; null where there was none. */
  readonly compared: { readonly crowd: number; readonly probabilities: readonly number[] } | null;
}

/** Adds what one install teaches: its device, its comparison and its named click, as far as it has them. */
export function learn({ population, calibration, taught }: Learning, install: KnownInstall): void {
  const { platform, device, address, namedClick, compared } = install;
  population.add(platform, device, { source: address, taught: taught.values });
  if (compared !== null)
    calibration.learnComparison({ platform, ...compared, source: address }, taught.comparisons);
  if (namedClick === null) return;
  const pair = {
    platform,
    click: namedClick.signals,
    device,
    delayMs: install.installedAtMs - namedClick.clickedAtMs,
    isSameAddress: address === null || namedClick.address === null ? null : address === namedClick.address,
    source: address,
  };
  calibration.learnPair(pair, taught.pairs);
}
