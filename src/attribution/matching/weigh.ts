/**
 * Record linkage after Fellegi and Sunter, "A Theory for Record Linkage" (JASA 64, 1969): the comparison of a signal
 * weighs ln(m/u), where m is how often it comes out so between a click and the install of one device, and u how often
 * between two devices. u follows from how common the value is: a rare one that agrees weighs more.
 */
import type { Platform, Signals } from '../../devices/index.ts';
import { type Agreement, type Comparison, SIGNAL_NAMES, type SignalName } from './compare.ts';
import type { Knowledge } from './knowledge.ts';
import { baseValue, offsetValue, screenValue, versionValue, widthValue } from './population.ts';

/** The weight of each signal that both sides tell; natural logarithms of likelihood ratios. */
export type SignalWeights = Partial<Record<SignalName, number>>;

/** How often two devices behind one address agree for being neighbours: they share a place and mostly a language. Estimates. */
const KINSHIP: Record<SignalName, number> = {
  model: 0.02,
  screen: 0.03,
  osVersion: 0.03,
  language: 0.55,
  timezone: 0.93,
};
/** Phones of one model mostly run one of two or three versions. */
const SAME_VERSION_OF_SAME_MODEL = 0.35;
/** Phones of one model seldom differ in their screen: only their owners' settings do. */
const OTHER_SCREEN_OF_SAME_MODEL = 0.1;
const MIN_CHANCE = 0.002;
/** What nearly agrees may do so for reasons that nobody counts, such as a second language. */
const MAX_WEIGHT_OF_CLOSE = 0.3;

/** Weighs the signals that were compared: m is from the calibration, u from the population and from kinship. */
export function weighSignals(
  comparison: Comparison,
  { click, device, platform }: { click: Signals; device: Signals; platform: Platform },
  { population, calibration }: Knowledge,
): SignalWeights {
  const isSameModel = comparison.model === 'same';
  const weights: SignalWeights = {};
  for (const name of SIGNAL_NAMES) {
    const agreement = comparison[name];
    if (agreement === undefined) continue;
    const rate = calibration.rates(platform, name)[agreement];
    if (name === 'model' && agreement === 'close') {
      weights.model = -Math.log(population.share(platform, 'model', device.family ?? ''));
    } else if (name === 'screen' && isSameModel) {
      // The model implies its screen.
      weights.screen = agreement === 'different' ? Math.log(rate / OTHER_SCREEN_OF_SAME_MODEL) : 0;
    } else {
      const chances = chancesOf(name, click, device, (value) => population.share(platform, name, value));
      const kinship = kinshipOf(name, isSameModel);
      const chance =
        agreement === 'same' ? kinship + (1 - kinship) * chances.same : (1 - kinship) * chances[agreement];
      const weight = Math.log(rate / Math.max(MIN_CHANCE, chance));
      weights[name] = agreement === 'close' ? Math.min(MAX_WEIGHT_OF_CLOSE, weight) : weight;
    }
  }
  return weights;
}

function kinshipOf(name: SignalName, isSameModel: boolean): number {
  return name === 'osVersion' && isSameModel ? SAME_VERSION_OF_SAME_MODEL : KINSHIP[name];
}

/** How a device that is taken at random compares with this one. */
function chancesOf(
  name: SignalName,
  click: Signals,
  device: Signals,
  share: (value: string) => number,
): Record<Agreement, number> {
  const [exact, coarse] = valuesCompared(name, click, device);
  const same = share(exact);
  const close = coarse === null ? 0 : Math.max(0, share(coarse) - same);
  return { same, close: Math.max(close, MIN_CHANCE), different: Math.max(1 - same - close, MIN_CHANCE) };
}

/** The device's value as precisely as the click tells its own, and the coarser one that still counts as close. */
function valuesCompared(
  name: SignalName,
  click: Signals,
  device: Signals,
): [exact: string, coarse: string | null] {
  switch (name) {
    case 'model':
      return [device.model ?? device.family ?? '', null];
    case 'screen':
      return device.screen === null ? ['', null] : [screenValue(device.screen), widthValue(device.screen)];
    case 'osVersion': {
      const version = device.osVersion ?? '';
      return [versionValue(version, (click.osVersion ?? '').split('.').length), versionValue(version, 1)];
    }
    case 'language':
      return [device.languages[0] ?? '', baseValue(device.languages[0] ?? '')];
    case 'timezone':
      return [device.timezone ?? '', device.timezone === null ? null : offsetValue(device.timezone)];
  }
}
