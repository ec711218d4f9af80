/**
 * Record linkage after Fellegi and Sunter, "A Theory for Record Linkage" (JASA 64, 1969): a signal that agrees weighs
 * ln(m/u), one that disagrees ln((1-m)/(1-u)), where m is how often it agrees between a click and the install of the
 * same phone, and u how often it agrees by chance between phones of one platform behind one address.
 */
import type { Signals } from './signals.ts';

/** Estimates, to be replaced by what an app's own certain matches show. Partly: the same major version, the same language. */
const WEIGHTS = {
  osVersion: { agrees: Math.log(0.85 / 0.15), partly: Math.log(0.1 / 0.25), disagrees: Math.log(0.05 / 0.6) },
  model: { agrees: Math.log(0.97 / 0.05), partly: 0, disagrees: Math.log(0.03 / 0.95) },
  language: { agrees: Math.log(0.9 / 0.5), partly: Math.log(0.06 / 0.2), disagrees: Math.log(0.04 / 0.3) },
  timezone: { agrees: Math.log(0.98 / 0.9), partly: 0, disagrees: Math.log(0.02 / 0.1) },
  screen: { agrees: Math.log(0.95 / 0.12), partly: 0, disagrees: Math.log(0.05 / 0.88) },
} as const satisfies Record<keyof Signals, Record<Agreement, number>>;

/** An Apple family is one of two or three, so it says little when it agrees. */
const APPLE_FAMILY_AGREES = Math.log(0.99 / 0.85);
/** A major version alone, because a browser hides the rest, says less than a whole version. */
const MAJOR_VERSION_AGREES = Math.log(0.9 / 0.45);

type Agreement = 'agrees' | 'partly' | 'disagrees';

/** The weight of each signal that both sides tell; natural logarithms of likelihood ratios. */
export type SignalWeights = Partial<Record<keyof Signals, number>>;

export function weighSignals(click: Signals, device: Signals): SignalWeights {
  const weights: SignalWeights = {};
  if (click.osVersion !== null && device.osVersion !== null)
    weights.osVersion = weighVersions(click.osVersion, device.osVersion);
  if (click.model !== null && device.model !== null) weights.model = weighModels(click.model, device.model);
  if (click.language !== null && device.language !== null)
    weights.language = WEIGHTS.language[compareLanguages(click.language, device.language)];
  if (click.timezone !== null && device.timezone !== null)
    weights.timezone = WEIGHTS.timezone[click.timezone === device.timezone ? 'agrees' : 'disagrees'];
  if (click.screen !== null && device.screen !== null)
    weights.screen = WEIGHTS.screen[isSameScreen(click.screen, device.screen) ? 'agrees' : 'disagrees'];
  return weights;
}

function weighVersions(a: string, b: string): number {
  const [majorA, minorA] = a.split('.');
  const [majorB, minorB] = b.split('.');
  if (majorA !== majorB) return WEIGHTS.osVersion.disagrees;
  if (minorA === undefined || minorB === undefined) return MAJOR_VERSION_AGREES;
  return minorA === minorB ? WEIGHTS.osVersion.agrees : WEIGHTS.osVersion.partly;
}

function weighModels(a: string, b: string): number {
  if (a !== b) return WEIGHTS.model.disagrees;
  return a === 'iphone' || a === 'ipad' || a === 'ipod' ? APPLE_FAMILY_AGREES : WEIGHTS.model.agrees;
}

function compareLanguages(a: string, b: string): Agreement {
  if (a === b) return 'agrees';
  return a.split('-')[0] === b.split('-')[0] ? 'partly' : 'disagrees';
}

/** Division by the pixel ratio leaves a pixel of rounding. */
function isSameScreen(a: readonly [number, number], b: readonly [number, number]): boolean {
  return Math.abs(a[0] - b[0]) <= 1 && Math.abs(a[1] - b[1]) <= 1;
}
