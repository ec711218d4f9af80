/**
 * Record linkage after Fellegi and Sunter, "A Theory for Record Linkage" (JASA 64, 1969): the comparison of a signal
 * weighs ln(m/u), where m is how often it comes out so between a click and the install of one device, and u how often
 * between two devices behind one address.
 */
import type { Signals } from '../../devices/index.ts';
import {
  type Agreement,
  type Comparison,
  isCoarseVersion,
  SIGNAL_NAMES,
  type SignalName,
} from './compare.ts';
import {
  APPLE_FAMILY_SHARES,
  ONE_DEVICE,
  OTHER_SCREEN_OF_ONE_MODEL,
  TWO_COARSE_VERSIONS,
  TWO_DEVICES,
  TWO_VERSIONS_OF_ONE_MODEL,
} from './rates.ts';

/** The weight of each signal that both sides tell; natural logarithms of likelihood ratios. */
export type SignalWeights = Partial<Record<SignalName, number>>;

/** What nearly agrees may do so for reasons that no rate covers, such as a second language. */
const MAX_WEIGHT_OF_CLOSE = 0.3;

/** Weighs the signals that were compared. */
export function weighSignals(comparison: Comparison, click: Signals, device: Signals): SignalWeights {
  const weights: SignalWeights = {};
  for (const name of SIGNAL_NAMES) {
    const agreement = comparison[name];
    if (agreement !== undefined) weights[name] = weightOf(name, agreement, { comparison, click, device });
  }
  return weights;
}

function weightOf(
  name: SignalName,
  agreement: Agreement,
  { comparison, click, device }: { comparison: Comparison; click: Signals; device: Signals },
): number {
  const isOneModel = comparison.model === 'same';
  const rate = ONE_DEVICE[name][agreement];
  // Both are of one Apple family, which is no model: nearly every one is an iPhone.
  if (name === 'model' && agreement === 'close')
    return -Math.log(APPLE_FAMILY_SHARES.get(device.family ?? '') ?? 1);
  // The model implies its screen.
  if (name === 'screen' && isOneModel)
    return agreement === 'different' ? Math.log(rate / OTHER_SCREEN_OF_ONE_MODEL) : 0;
  const weight = Math.log(rate / chancesOf(name, isOneModel, isCoarseVersion(click, device))[agreement]);
  return agreement === 'close' ? Math.min(MAX_WEIGHT_OF_CLOSE, weight) : weight;
}

function chancesOf(
  name: SignalName,
  isOneModel: boolean,
  isCoarse: boolean,
): Readonly<Record<Agreement, number>> {
  if (name !== 'osVersion') return TWO_DEVICES[name];
  if (isOneModel) return TWO_VERSIONS_OF_ONE_MODEL;
  return isCoarse ? TWO_COARSE_VERSIONS : TWO_DEVICES.osVersion;
}
