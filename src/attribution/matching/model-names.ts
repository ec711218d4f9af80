import type { Signals } from '../../devices/index.ts';
import type { Agreement } from './compare.ts';
import { Tally } from './tally.ts';

/** So many certain pairs, each from an address of its own, must know a model by the same two names. */
const MIN_PAIRS = 10;
const MAX_REMEMBERED = 20_000;

/**
 * Two names of one model: some SDKs say `Galaxy S23 Ultra` where browsers say `SM-S918B`. A pair of names is believed
 * for itself alone, and only while the SDK's name comes with the browser's other one more often than with its own: a few
 * made-up installs neither make two models one, nor shake what the app's people show.
 */
export class ModelNames {
  readonly #pairs = new Tally(MAX_REMEMBERED);
  readonly #agreeing = new Tally(MAX_REMEMBERED);

  learn(click: Signals, device: Signals, agreement: Agreement | undefined): void {
    if (agreement === 'different') this.#pairs.add(keyOf(click, device));
    else if (agreement !== undefined) this.#agreeing.add(nameOf(device));
  }

  areOfOneModel(click: Signals, device: Signals): boolean {
    const pairs = this.#pairs.of(keyOf(click, device));
    return pairs >= MIN_PAIRS && pairs > this.#agreeing.of(nameOf(device));
  }
}

function keyOf(click: Signals, device: Signals): string {
  return JSON.stringify([nameOf(click), nameOf(device)]);
}

function nameOf({ model, family }: Signals): string {
  return model ?? family ?? '';
}
