import { LRUCache } from 'lru-cache';
import { UAParser } from 'my-ua-parser';
import { cut } from '../platform/text.ts';
import type { Platform } from './signals.ts';

/** What a user agent tells about its device; null where it tells nothing, or something that is known to be untrue. */
export interface AgentReport {
  readonly platform: Platform | null;
  readonly osVersion: string | null;
  /** Whether the version may stand for a newer one: WebKit of iOS 26 and later says 18.6 or 18.7. */
  readonly mayBeFrozen: boolean;
  /** Whether only the first number is sure: the second is Safari's, which mostly is the system's. */
  readonly isMinorUnsure: boolean;
  /** Android: the model. Apple: the hardware name (`iPhone15,2`) where an in-app browser tells it. */
  readonly model: string | null;
  /** `iphone`, `ipad`, `ipod`; null for any other. */
  readonly family: string | null;
  /** Physical pixels. */
  readonly screen: readonly [number, number] | null;
  readonly pixelRatio: number | null;
  readonly locale: string | null;
  /** Of a computer. An iPad that asks for desktop pages sends a Mac's. */
  readonly isDesktop: boolean;
  readonly mayBeIpad: boolean;
}

/** More of it is not looked at. */
const MAX_CHARACTERS = 1_024;

/** Parsing takes tens of microseconds, and few user agents make most of the traffic; installs come far more rarely than taps. */
const known = new LRUCache<string, AgentReport>({ max: 5_000 });

/** Of a long one, only the first 1,024 characters are looked at. */
export function readUserAgent(text: string): AgentReport {
  const userAgent = cut(text, MAX_CHARACTERS);
  let report = known.get(userAgent);
  if (report === undefined) {
    report = parse(userAgent);
    known.set(userAgent, report);
  }
  return report;
}

/** The platform alone, which is all that a tap asks for: the rest takes twice as long again. */
export function readPlatform(text: string): Platform | null {
  const userAgent = cut(text, MAX_CHARACTERS);
  const parser = new UAParser(userAgent);
  const system = parser.getOS().name;
  const isModelNeeded = system !== 'iOS' && NAMES_APPLE.test(userAgent);
  return platformOf(system, isModelNeeded ? parser.getDevice().model : undefined);
}

const NAMES_APPLE = /iphone|ipad|ipod/i;

function parse(userAgent: string): AgentReport {
  const parser = new UAParser(userAgent);
  const os = parser.getOS();
  const model = parser.getDevice().model ?? null;
  const inApp = readInstagram(userAgent) ?? readFacebook(userAgent);
  const mayBeIpad = os.name === 'Mac OS' && /Version\/\d+.* Safari\//.test(userAgent);
  const platform = platformOf(os.name, model);
  return {
    platform,
    screen: null,
    pixelRatio: null,
    locale: null,
    ...plainDevice(platform, userAgent, os.version ?? null, model),
    isDesktop: platform === null && os.name !== undefined,
    mayBeIpad,
    ...inApp,
  };
}

function platformOf(system: string | undefined, model: string | null | undefined): Platform | null {
  if (system === 'iOS' || /^(iphone|ipad|ipod)/i.test(model ?? '')) return 'IOS';
  return system?.startsWith('Android') === true || system === 'HarmonyOS' ? 'ANDROID' : null;
}

type Plain = Pick<AgentReport, 'osVersion' | 'mayBeFrozen' | 'isMinorUnsure' | 'model' | 'family'>;

function plainDevice(
  platform: Platform | null,
  userAgent: string,
  version: string | null,
  model: string | null,
): Plain {
  if (platform === 'ANDROID') return androidDevice(version, model);
  const safari = /Version\/(\d+(?:\.\d+)?)/.exec(userAgent)?.[1] ?? null;
  if (platform === 'IOS') return appleDevice(userAgent, safari, version, model);
  // A Mac's version is frozen, but Safari's is that of the iPad that may stand behind it.
  return { osVersion: safari, mayBeFrozen: false, isMinorUnsure: true, model: null, family: null };
}

function appleDevice(
  userAgent: string,
  safari: string | null,
  version: string | null,
  model: string | null,
): Plain {
  const family = /^(iphone|ipad|ipod)/i.exec(model ?? '')?.[0].toLowerCase() ?? null;
  const isFrozenForm = version !== null && /^18\.[67]/.test(version);
  if (isFrozenForm && safari !== null && Number(safari) >= 26)
    return { osVersion: safari, mayBeFrozen: false, isMinorUnsure: true, model: null, family };
  // A web view sends no `Version/`, so nobody can tell; Chrome sends the true version.
  const mayBeFrozen = isFrozenForm && safari === null && !userAgent.includes('CriOS/');
  return { osVersion: version, mayBeFrozen, isMinorUnsure: false, model: null, family };
}

/** Chrome says `Android 10; K` on every phone. */
function androidDevice(version: string | null, model: string | null): Plain {
  const isReduced = model === 'K' || (model === null && version === '10');
  return {
    osVersion: isReduced ? null : version,
    mayBeFrozen: false,
    isMinorUnsure: false,
    model: isReduced ? null : model,
    family: null,
  };
}

/** `Instagram 337.0.2 (iPhone15,3; iOS 17_5_1; en_US; en; scale=3.00; 1290x2796; 612219842)`, and its Android form. */
function readInstagram(userAgent: string): Partial<AgentReport> | null {
  const ios =
    /(?:Instagram|Barcelona) [\d.]+ \(((?:iPhone|iPad)\d+,\d+); (?:iOS|iPadOS) ([\d_]+); ([\w-]+);[^)]*?scale=([\d.]+);[^)]*?(\d{3,5})x(\d{3,5})/.exec(
      userAgent,
    );
  if (ios !== null) {
    const [, model = '', version = '', locale = '', scale, width, height] = ios;
    return {
      model,
      osVersion: version.replaceAll('_', '.'),
      mayBeFrozen: false,
      isMinorUnsure: false,
      locale,
      pixelRatio: Number(scale),
      screen: [Number(width), Number(height)],
    };
  }
  const android =
    /(?:Instagram|Barcelona) [\d.]+ Android \(\d+\/([\d.]+); (\d+)dpi; (\d{3,5})x(\d{3,5}); [^;]+; ([^;]+); [^;]+; [^;]+; ([\w-]+)/.exec(
      userAgent,
    );
  if (android === null) return null;
  const [, version = '', dpi, width, height, model = '', locale = ''] = android;
  return {
    model,
    osVersion: version,
    locale,
    pixelRatio: Number(dpi) / ANDROID_BASE_DPI,
    screen: [Number(width), Number(height)],
  };
}

/** Android's density 1 (developer.android.com, "Support different pixel densities"). */
export const ANDROID_BASE_DPI = 160;

/** `[FBAN/FBIOS;FBDV/iPhone14,5;FBSV/17.5;FBSS/3;FBLC/en_US]`. */
function readFacebook(userAgent: string): Partial<AgentReport> | null {
  const field = (name: string): string | null =>
    new RegExp(`[;[]${name}/([^;\\]]+)`).exec(userAgent)?.[1] ?? null;
  const model = field('FBDV');
  if (model === null) return null;
  const version = field('FBSV');
  return {
    model,
    ...(version === null ? {} : { osVersion: version, mayBeFrozen: false, isMinorUnsure: false }),
    locale: field('FBLC'),
    pixelRatio: Number(field('FBSS')) || null,
  };
}
