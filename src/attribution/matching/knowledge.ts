import type { Platform, Signals } from '../../devices/index.ts';
import { Calibration } from './calibration.ts';
import { Population } from './population.ts';

/** What is known of an app's traffic: it starts from defaults and learns from the app's own installs. */
export interface Knowledge {
  readonly population: Population;
  readonly calibration: Calibration;
}

export function newKnowledge(): Knowledge {
  return { population: new Population(), calibration: new Calibration() };
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

export function learn({ population, calibration }: Knowledge, install: KnownInstall): void {
  const { platform, device, address, namedClick, compared } = install;
  population.add(platform, device, address);
  if (compared !== null) calibration.learnComparison({ platform, ...compared, source: address });
  if (namedClick === null) return;
  calibration.learnPair({
    platform,
    click: namedClick.signals,
    device,
    delayMs: install.installedAtMs - namedClick.clickedAtMs,
    isSameAddress: address === null || namedClick.address === null ? null : address === namedClick.address,
    source: address,
  });
}
