import { baseLanguage, type Platform, type Screen, type Signals } from '../../devices/index.ts';
import { offsetMinutes, type SignalName } from './compare.ts';
import type { Tally } from './tally.ts';

/**
 * How common each value of a signal is among an app's devices, from its installs. A value that agrees proves the more
 * the rarer it is. One address teaches each value once, so that nobody makes a value common, or another rare, alone.
 */
export class Population {
  readonly #counts: Record<Platform, Record<SignalName, Counts>> = {
    ANDROID: emptyCounts(),
    IOS: emptyCounts(),
  };

  /**
   * @param by whoever teaches this, an address or its hash, null where it is not known; and what each has taught so far.
   */
  add(platform: Platform, signals: Signals, by: { source: string | null; taught: Tally }): void {
    for (const [name, values] of Object.entries(valuesOf(signals)) as [SignalName, string[]][]) {
      if (values.length === 0 || isTaught(by, `${platform} ${name} ${values[0]}`)) continue;
      this.#counts[platform][name].add(values);
    }
  }

  /** Of the devices of a platform, the share that has the value. */
  share(platform: Platform, name: SignalName, value: string): number {
    return this.#counts[platform][name].share(value, APPLE_FAMILIES.get(value) ?? DEFAULT_SHARES[name]);
  }

  /** Of the devices of a platform, the share that would say the same as a click does, as far as it tells anything. */
  shareLike(platform: Platform, { osVersion, model, languages: [language] }: Signals): number {
    const shares = [
      osVersion === null ? 1 : this.share(platform, 'osVersion', `${osVersion}.*`),
      model === null ? 1 : this.share(platform, 'model', model),
      // Neighbours mostly share their language.
      language === undefined ? 1 : Math.max(0.5, this.share(platform, 'language', language)),
    ];
    return shares.reduce((product, share) => product * share, 1);
  }
}

function isTaught({ source, taught }: { source: string | null; taught: Tally }, value: string): boolean {
  if (source === null) return false;
  const key = `${source} ${value}`;
  if (taught.of(key) > 0) return true;
  taught.add(key);
  return false;
}

/** What is assumed of a value that nobody has been seen with, as long as few devices have been seen. */
const DEFAULT_SHARES: Record<SignalName, number> = {
  model: 0.03,
  screen: 0.08,
  osVersion: 0.12,
  language: 0.25,
  timezone: 0.3,
};
/** An Apple family is no model: nearly every phone is of the same one. */
const APPLE_FAMILIES: ReadonlyMap<string, number> = new Map([
  ['iphone', 0.92],
  ['ipad', 0.07],
  ['ipod', 0.01],
]);
/** So many devices' worth of doubt. */
const DOUBT = 20;
/** No value counts as rarer, however many devices were seen without it. */
const MIN_SHARE = 0.0005;
/** Old devices fade: at this many the counts are halved. */
const MAX_TOTAL = 20_000;

/** Counts of the values of one signal. */
class Counts {
  readonly #counts = new Map<string, number>();
  #total = 0;

  /** @param values of one device: the most precise first, then what it is part of. */
  add(values: readonly string[]): void {
    this.#total += 1;
    for (const value of values) this.#counts.set(value, (this.#counts.get(value) ?? 0) + 1);
    if (this.#total >= MAX_TOTAL) this.#halve();
  }

  share(value: string, expected: number): number {
    const count = this.#counts.get(value) ?? 0;
    return Math.max(MIN_SHARE, (count + DOUBT * expected) / (this.#total + DOUBT));
  }

  #halve(): void {
    this.#total /= 2;
    for (const [value, count] of this.#counts)
      if (count <= 1) this.#counts.delete(value);
      else this.#counts.set(value, count / 2);
  }
}

function emptyCounts(): Record<SignalName, Counts> {
  return {
    model: new Counts(),
    screen: new Counts(),
    osVersion: new Counts(),
    language: new Counts(),
    timezone: new Counts(),
  };
}

/** Every value that a device is counted under, so that a coarser one can be asked for too. */
function valuesOf({
  model,
  family,
  screen,
  osVersion,
  languages,
  timezone,
}: Signals): Record<SignalName, string[]> {
  const [language] = languages;
  return {
    model: [...(model === null ? [] : [model]), ...(family === null ? [] : [family])],
    screen: screen === null ? [] : [screenValue(screen), widthValue(screen)],
    osVersion: osVersion === null ? [] : versionsIn(osVersion),
    language: language === undefined ? [] : [language, baseValue(language)],
    timezone: timezone === null ? [] : [timezone, offsetValue(timezone)],
  };
}

/** `17.5.1.*`, `17.5.*`, `17.*`: a version, and whatever a side that hides a part of it would call it. */
function versionsIn(version: string): string[] {
  const numbers = version.split('.');
  return numbers.map((_number, place) => versionValue(version, numbers.length - place));
}

/** A version by its first numbers. */
export function versionValue(version: string, numbers: number): string {
  return `${version.split('.').slice(0, numbers).join('.')}.*`;
}

/** Such as `393x852@3.0`, in CSS pixels; `?` for a pixel ratio that is not known. */
export function screenValue({ shorter, longer, pixelRatio }: Screen): string {
  return `${Math.round(shorter)}x${Math.round(longer)}@${pixelRatio?.toFixed(1) ?? '?'}`;
}

/** Such as `393x*`: every screen whose shorter side is that long. */
export function widthValue({ shorter }: Screen): string {
  return `${Math.round(shorter)}x*`;
}

/** Such as `UTC60`: every zone with that offset, in minutes. */
export function offsetValue(timezone: string): string {
  return `UTC${offsetMinutes(timezone)}`;
}

/** Such as `en-*`: the language in any region. */
export function baseValue(language: string): string {
  return `${baseLanguage(language)}-*`;
}
