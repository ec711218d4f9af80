/**
 * Record linkage after Fellegi and Sunter, "A Theory for Record Linkage" (JASA 64, 1969): the weight of a
 * signal's agreement is ln(m/u), with m its probability on one device and u that on two devices behind one address.
 */
import type { Signals } from '../../devices/index.ts';
import type { Agreement, Comparison, SignalName, SignalWeights } from '../trace.ts';
import { isCoarseVersion, SIGNAL_NAMES } from './compare.ts';
import {
  APPLE_FAMILY_SHARES,
  IPADS_AMONG_MACS,
  ONE_DEVICE,
  OTHER_SCREEN_OF_ONE_MODEL,
  type Rates,
  TWO_COARSE_VERSIONS,
  TWO_DEVICES,
  TWO_SAFARI_VERSIONS,
  TWO_VERSIONS_OF_ONE_MODEL,
} from './rates.ts';

/** Close values have causes that the rates do not cover, such as a second language. */
const MAX_WEIGHT_OF_CLOSE = 0.3;

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
  if (name === 'model' && click.mayBeComputer) return Math.log(IPADS_AMONG_MACS);
  // Only the Apple family is known to agree, and most are iPhones.
  if (name === 'model' && agreement === 'close' && device.family !== null)
    return -Math.log(APPLE_FAMILY_SHARES.get(device.family ?? '') ?? 1);
  // The model implies its screen.
  if (name === 'screen' && isOneModel)
    return agreement === 'different' ? Math.log(rate / OTHER_SCREEN_OF_ONE_MODEL) : 0;
  const rates = name === 'osVersion' ? versionsOfTwo(isOneModel, click, device) : TWO_DEVICES[name];
  const weight = Math.log(rate / rates[agreement]);
  return agreement === 'close' ? Math.min(MAX_WEIGHT_OF_CLOSE, weight) : weight;
}

function versionsOfTwo(isOneModel: boolean, click: Signals, device: Signals): Rates {
  if (isOneModel) return TWO_VERSIONS_OF_ONE_MODEL;
  if (click.isMinorUnsure || device.isMinorUnsure) return TWO_SAFARI_VERSIONS;
  return isCoarseVersion(click, device) ? TWO_COARSE_VERSIONS : TWO_DEVICES.osVersion;
}
