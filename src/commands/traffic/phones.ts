/** Simulated phones: model, screen, OS and browser versions. */

import {
  ANDROID_VERSIONS,
  ANDROIDS,
  CHROMES,
  DISPLAY_SIZES,
  IOS_VERSIONS,
  IPADS,
  IPHONES,
} from './models.ts';
import type { Language, Place, Zone } from './places.ts';
import type { Random } from './random.ts';

export interface Phone {
  readonly platform: 'IOS' | 'ANDROID';
  readonly isTablet: boolean;
  /** `iPhone15,2`, `SM-S921B` */
  readonly model: string;
  /** `iPhone 14 Pro`; the model on Android. */
  readonly marketingName: string;
  readonly maker: string;
  /** Physical pixels in portrait orientation. */
  readonly width: number;
  /** Physical pixels in portrait orientation. */
  readonly height: number;
  /** Physical pixels per CSS pixel. */
  readonly density: number;
  /** `18.7.2`, `14` */
  osVersion: string;
  /** Of Chrome and of WebViews. */
  readonly chromeMajor: number;
}

/** A phone with the language and time zone of its owner. */
export interface Owner {
  readonly phone: Phone;
  readonly zone: Zone;
  /** Of the system. */
  readonly language: Language;
  /** Of the browser; mostly the system's. */
  readonly browserLanguage: Language;
}

export function buildPhone(random: Random, place: Place, iphoneOdds: number): Phone {
  return random.chance(iphoneShare(place, iphoneOdds))
    ? buildApple(random, random.chance(IPAD_SHARE))
    : buildAndroid(random, place);
}

export function iphoneShare(place: Place, iphoneOdds: number): number {
  const odds = (place.iphoneShare / (1 - place.iphoneShare)) * iphoneOdds;
  return odds / (1 + odds);
}

/** Updates to the next OS version, if there is one. */
export function updateOs(phone: Phone): void {
  const versions = phone.platform === 'IOS' ? IOS_VERSIONS : ANDROID_VERSIONS;
  const at = versions.findIndex(({ version }) => version === phone.osVersion);
  const next = versions[at - 1]?.version;
  // The oldest iPhones get no updates.
  if (next && !(phone.platform === 'IOS' && phone.osVersion.startsWith('16'))) phone.osVersion = next;
}

export function buildApple(random: Random, isTablet: boolean): Phone {
  const [model, marketingName, cssWidth, cssHeight, ratio] = random.weighted(isTablet ? IPADS : IPHONES).is;
  const [oldest, newest] = iosRange(model);
  const versions = IOS_VERSIONS.filter(
    ({ version }) => +version.slice(0, 2) >= oldest && +version.slice(0, 2) <= newest,
  );
  // Display Zoom: the phone reports a smaller screen.
  const zoom = !isTablet && random.chance(0.05) ? 1.08 : 1;
  return {
    platform: 'IOS',
    isTablet,
    model,
    marketingName,
    maker: 'Apple',
    width: Math.round(cssWidth * ratio),
    height: Math.round(cssHeight * ratio),
    density: ratio * zoom,
    osVersion: random.weighted(versions).version,
    chromeMajor: random.weighted(CHROMES).major,
  };
}

/** The range of major iOS versions of a model. */
function iosRange(model: string): [oldest: number, newest: number] {
  const generation = Number(model.match(/^iPhone(\d+)/)?.[1] ?? 14);
  if (generation < 12) return [16, 16];
  if (generation < 17) return [16, 26];
  return generation === 17 ? [18, 26] : [26, 26];
}

export function buildAndroid(random: Random, place: Place): Phone {
  const maker = random.key(place.makers);
  const models = ANDROIDS.filter(({ is }) => is[0] === maker);
  const [, model, width, height, density, oldest, newest] = random.weighted(models).is;
  const versions = ANDROID_VERSIONS.filter(({ version }) => +version >= oldest && +version <= newest);
  const displaySize = random.weighted(DISPLAY_SIZES).factor;
  return {
    platform: 'ANDROID',
    isTablet: false,
    model,
    marketingName: model,
    maker,
    width,
    height,
    density: density * displaySize,
    osVersion: random.weighted(versions).version,
    chromeMajor: random.weighted(CHROMES).major,
  };
}

const IPAD_SHARE = 0.06;
