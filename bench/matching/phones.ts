/** The phones people carry: what they are, what they run, how large their screens are. */
import {
  ANDROID_VERSIONS,
  ANDROIDS,
  CHROMES,
  DISPLAY_SIZES,
  IOS_VERSIONS,
  IPADS,
  IPHONES,
} from './models.ts';
import type { Place } from './places.ts';
import type { Random } from './random.ts';

export interface Phone {
  readonly platform: 'IOS' | 'ANDROID';
  readonly isTablet: boolean;
  /** `iPhone15,2`, `SM-S921B` */
  readonly model: string;
  /** `iPhone 14 Pro`; for Android the same as the model */
  readonly marketingName: string;
  readonly maker: string;
  /** Physical pixels, upright */
  readonly width: number;
  /** Physical pixels, upright */
  readonly height: number;
  /** Physical pixels for each CSS pixel */
  readonly density: number;
  /** As the system says it: `18.7.2`, `14` */
  osVersion: string;
  /** Of Chrome, and of the WebView of other apps */
  readonly chromeMajor: number;
}

export function buildPhone(random: Random, place: Place, iphoneOdds: number): Phone {
  return random.chance(iphoneShare(place, iphoneOdds)) ? buildIphone(random) : buildAndroid(random, place);
}

export function iphoneShare(place: Place, iphoneOdds: number): number {
  const odds = (place.iphoneShare / (1 - place.iphoneShare)) * iphoneOdds;
  return odds / (1 + odds);
}

/** To the version that came after, where there is one. */
export function update(phone: Phone): void {
  const versions = phone.platform === 'IOS' ? IOS_VERSIONS : ANDROID_VERSIONS;
  const at = versions.findIndex(({ version }) => version === phone.osVersion);
  const next = versions[at - 1]?.version;
  // The oldest iPhones get no newer system.
  if (next && !(phone.platform === 'IOS' && phone.osVersion.startsWith('16'))) phone.osVersion = next;
}

function buildIphone(random: Random): Phone {
  const isTablet = random.chance(IPAD_SHARE);
  const [model, marketingName, cssWidth, cssHeight, ratio] = random.weighted(isTablet ? IPADS : IPHONES).is;
  const [oldest, newest] = iosRange(model);
  const versions = IOS_VERSIONS.filter(
    ({ version }) => +version.slice(0, 2) >= oldest && +version.slice(0, 2) <= newest,
  );
  // Display Zoom: the phone pretends to be the next smaller one.
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

/** The major versions a model can run and its owner may still have. */
function iosRange(model: string): [oldest: number, newest: number] {
  const generation = Number(model.match(/^iPhone(\d+)/)?.[1] ?? 14);
  if (generation < 12) return [16, 16];
  if (generation < 17) return [16, 26];
  return generation === 17 ? [18, 26] : [26, 26];
}

function buildAndroid(random: Random, place: Place): Phone {
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
