import { LRUCache } from 'lru-cache';
import { UAParser } from 'my-ua-parser';
import { truncate } from '../lib/text.ts';
import { readAndroid } from './android-model.ts';
import type { Platform } from './signals.ts';

/** Null stands for values that are missing or known to be untrue. */
export interface AgentReport {
  readonly platform: Platform | null;
  readonly osVersion: string | null;
  /** Whether the version may be newer: WebKit of iOS 26 and later reports 18.6 or 18.7. */
  readonly mayBeFrozen: boolean;
  /** Whether only the major version is reliable: the minor one is Safari's, usually that of the system. */
  readonly isMinorUnsure: boolean;
  /** Android: the model. Apple: the hardware name (`iPhone15,2`), from in-app browsers only. */
  readonly model: string | null;
  /** `iphone`, `ipad`, `ipod`; else null. */
  readonly family: string | null;
  /** Physical pixels. */
  readonly screen: readonly [number, number] | null;
  readonly pixelRatio: number | null;
  readonly locale: string | null;
  /** Whether it names a system that is neither iOS nor Android, such as a computer's. */
  readonly namesOtherSystem: boolean;
  /** The platform of a phone or tablet that asks for desktop pages, if it would send this user agent. */
  readonly hidden: Platform | null;
}

/** The rest of a longer user agent is ignored. */
const MAX_CHARACTERS = 1_024;

/** Parsing takes tens of microseconds, and a few user agents make up most of the traffic. */
const reports = new LRUCache<string, AgentReport>({ max: 5_000, memoMethod: parse });

export function readUserAgent(text: string): AgentReport {
  return reports.memo(truncate(text, MAX_CHARACTERS));
}

interface PlatformReport {
  readonly platform: Platform | null;
  /** The platform of a tablet that asks for desktop pages, if it would send this user agent. */
  readonly hidden: Platform | null;
}

/** For redirects, which need only the platform: a full parse takes three times as long. */
export function readPlatform(text: string): PlatformReport {
  const userAgent = truncate(text, MAX_CHARACTERS);
  const parser = new UAParser(userAgent);
  const system = parser.getOS().name;
  const isModelNeeded = system !== 'iOS' && NAMES_APPLE.test(userAgent);
  const platform = platformOf(userAgent, system, isModelNeeded ? parser.getDevice().model : undefined);
  return { platform, hidden: platform === null ? hiddenPlatform(userAgent, system) : null };
}

function hiddenPlatform(userAgent: string, system: string | undefined): Platform | null {
  if (system === 'Mac OS' && MAY_BE_IPAD.test(userAgent)) return 'IOS';
  return MAY_BE_ANDROID_TABLET.test(userAgent) ? 'ANDROID' : null;
}

/** Chrome, Samsung Internet and Firefox on a computer with Linux, or on a tablet. ChromeOS says `CrOS`. */
const MAY_BE_ANDROID_TABLET = /\(X11; Linux /;

/** Without the names of Android phones, which may be those of programs: `Expanse`, `Discovery`, `CUBOT`, `M bot 54`. */
export function withoutModel(userAgent: string): string {
  let text = userAgent;
  for (const name of [readAndroid(userAgent)?.model, readInstagram(userAgent)?.model])
    if (name !== undefined && name !== null && name.length >= MIN_MODEL_CHARACTERS)
      text = text.replaceAll(name, '');
  return text.replaceAll(/cubot/gi, '');
}

/** A shorter name would cut pieces out of other words. */
const MIN_MODEL_CHARACTERS = 3;

const NAMES_APPLE = /iphone|ipad|ipod/i;

function parse(userAgent: string): AgentReport {
  const parser = new UAParser(userAgent);
  const os = parser.getOS();
  const model = parser.getDevice().model ?? null;
  const inApp = readInstagram(userAgent) ?? readFacebook(userAgent) ?? readUcOnApple(userAgent);
  const platform = platformOf(userAgent, os.name, model);
  const namesOtherSystem =
    platform === null &&
    (os.name !== undefined || LIKE_A_PHONE.test(userAgent) || OTHER_SYSTEM.test(userAgent));
  const hidden = namesOtherSystem ? hiddenPlatform(userAgent, os.name) : null;
  const device = basicDevice(userAgent, { platform, hidden, version: versionOf(os), model });
  return {
    platform,
    screen: null,
    pixelRatio: null,
    locale: null,
    ...device,
    namesOtherSystem,
    hidden,
    ...inApp,
    family: device.family ?? (platform === 'IOS' ? (inApp?.family ?? appleFamily(inApp?.model)) : null),
  };
}

/** Without that of a computer's system, which a browser on a server may name. */
function versionOf({ name, version }: { name?: string; version?: string }): string | null {
  return /^(?:Android|HarmonyOS|iOS)/.test(name ?? '') ? (version ?? null) : null;
}

/** Safari on a Mac or an iPad, or a web view, which ends after the engine. */
const MAY_BE_IPAD = /Version\/\d+.* Safari\/|\(KHTML, like Gecko\)$/;

/** UC Browser in its proxy mode: `IUC(U;iOS 6.1.2;`, `JUC (Linux; U; 4.0.3;`. */
const UC_ON_ANDROID = /\bAdr \d|^JUC ?\(Linux; ?U; ?\d/;
const UC_ON_APPLE = /\biP[hd] OS \d|^IUC ?\(|^UCWEB\/[\d.]+ ?\(iOS;/;
/** Puffin draws pages on its servers, whose system it names: `Puffin/9.7.2.51367AP` is on an Android phone. */
const PUFFIN = /\bPuffin\/[\d.]+([AI])[PT]\b/;
/** Systems that name Android or the iPhone beside themselves. */
const LIKE_A_PHONE =
  /\bKAIOS\b|\bTizen\b|\blike Android\b|\bViera\b|\bOpenHarmony\b|\bArkWeb\/|\bWindows Phone\b|\bIEMobile\b/i;
/** Systems that the parser does not know. */
const OTHER_SYSTEM =
  /\bRoku\b|\bMIDP\b|\bJ2ME\b|\bCLDC\b|\bSymbian|\bSeries ?[3468]0\b|\bNokia[\w.-]*(?:\/|$)|\bBREW\b|\bweb[O0]S\b|\bNetCast\b|\bVIDAA\b|\bMAUI\b|\bBada\b/i;
/** Browsers and apps of iPhones and iPads that ask for desktop pages; no Mac has them, nor `Mobile/`. */
const APPLE_MOBILE = /\b(?:CriOS|FxiOS|EdgiOS|OPiOS|OPT|GSA|Mobile)\/|\bFBDV\/iP|\((?:iPhone|iPad|iPod)/;

/** The parser takes Android phones for another system by names such as `WinnovoT2`, and does not know small letters. */
const ON_ANDROID = /\(Linux; ?(?:[^;()]{1,16}; ?)?Android\b/i;

function platformOf(
  userAgent: string,
  system: string | undefined,
  model: string | null | undefined,
): Platform | null {
  const puffin = PUFFIN.exec(userAgent)?.[1];
  if (puffin !== undefined) return puffin === 'A' ? 'ANDROID' : 'IOS';
  if (LIKE_A_PHONE.test(userAgent)) return null;
  if (system?.startsWith('Android') === true || system === 'HarmonyOS') return 'ANDROID';
  if (ON_ANDROID.test(userAgent)) return 'ANDROID';
  if (system === 'iOS' || appleFamily(model) !== null) return 'IOS';
  if (system === 'Mac OS') return APPLE_MOBILE.test(userAgent) ? 'IOS' : null;
  if (UC_ON_APPLE.test(userAgent)) return 'IOS';
  return UC_ON_ANDROID.test(userAgent) ? 'ANDROID' : null;
}

export function appleFamily(model: string | null | undefined): string | null {
  return /^(iphone|ipad|ipod)/i.exec(model?.trim() ?? '')?.[0].toLowerCase() ?? null;
}

type Device = Pick<AgentReport, 'osVersion' | 'mayBeFrozen' | 'isMinorUnsure' | 'model' | 'family'>;

interface SystemReport {
  readonly platform: Platform | null;
  readonly hidden: Platform | null;
  readonly version: string | null;
  readonly model: string | null;
}

function basicDevice(userAgent: string, { platform, hidden, version, model }: SystemReport): Device {
  if (platform === 'ANDROID') return androidDevice(userAgent, version);
  const safari = /Version\/(\d+(?:\.\d+)?)/.exec(userAgent)?.[1] ?? null;
  if (platform === 'IOS' && !userAgent.includes('Macintosh'))
    return appleDevice(userAgent, safari, version, model);
  // A Mac's version is frozen; that of Safari is the system version of an iPad that sends a Mac's user agent.
  const osVersion = hidden === 'IOS' ? safari : null;
  return { osVersion, mayBeFrozen: false, isMinorUnsure: true, model: null, family: null };
}

function appleDevice(
  userAgent: string,
  safari: string | null,
  version: string | null,
  model: string | null,
): Device {
  const family = appleFamily(model);
  const isFrozenForm = version !== null && /^18\.[67]/.test(version);
  if (isFrozenForm && safari !== null && Number(safari) >= 26)
    return { osVersion: safari, mayBeFrozen: false, isMinorUnsure: true, model: null, family };
  // A web view sends no `Version/`, so its version is uncertain; Chrome sends the real one.
  const mayBeFrozen = isFrozenForm && safari === null && !userAgent.includes('CriOS/');
  return { osVersion: version, mayBeFrozen, isMinorUnsure: false, model: null, family };
}

/** Chrome sends `Android 10; K` on every phone. */
function androidDevice(userAgent: string, version: string | null): Device {
  const android = readAndroid(userAgent);
  const model = android?.model ?? null;
  const isReduced = model === null && version === '10';
  return {
    osVersion: isReduced ? null : (android?.version ?? version),
    mayBeFrozen: false,
    isMinorUnsure: false,
    model,
    family: null,
  };
}

/** `Instagram 337.0.2 (iPhone15,3; iOS 17_5_1; en_US; en; scale=3.00; 1290x2796; 612219842)`, and its Android form. */
function readInstagram(userAgent: string): Partial<AgentReport> | null {
  if (!/Instagram|Barcelona/.test(userAgent)) return null;
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

/** `UCWEB/2.0 (iOS; U; iPh OS 7_0_4; ru; iPh3,1)`, `IUC(U;iOS 6.1.2;Zh-cn;320*480;)`. `iPd` is an iPad or an iPod. */
function readUcOnApple(userAgent: string): Partial<AgentReport> | null {
  if (!/\bUCWEB|\bUCBrowser/.test(userAgent)) return null;
  const found =
    /\b(?:(iP[hd]|iPad|iPhone|iPod) OS|iOS) (\d[\d._]*);(?: ?([\w-]+);)?(?: ?(iPh|iPad|iPhone|iPod)(\d+,\d+))?/.exec(
      userAgent,
    );
  if (found === null) return null;
  const [, named, version = '', locale = null, hardware, numbers] = found;
  const kind = named === 'iPh' ? 'iPhone' : named;
  return {
    osVersion: version.replaceAll('_', '.'),
    mayBeFrozen: false,
    isMinorUnsure: false,
    locale,
    family: appleFamily(kind),
    ...(hardware !== undefined && { model: `${hardware === 'iPh' ? 'iPhone' : hardware}${numbers}` }),
  };
}
