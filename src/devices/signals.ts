/**
 * Normalises the device data of browsers and SDKs, which differ for one phone: `en_US` or `en-US`, physical or CSS
 * pixels, a user agent without the real version. Missing and impossible values become null.
 */
import { LRUCache } from 'lru-cache';
import { truncate } from '../lib/text.ts';
import { hiddenDevice } from './hidden-device.ts';
import { readModelName } from './model-name.ts';
import { type AgentReport, ANDROID_BASE_DPI, appleFamily, readUserAgent } from './user-agent.ts';

export type Platform = 'ANDROID' | 'IOS';

export interface Signals {
  /** `17.4.1`, or its known leading components. */
  readonly osVersion: string | null;
  /** Whether the device may run a newer version than it reports. */
  readonly mayBeFrozen: boolean;
  /** Whether only the major version is reliable. */
  readonly isMinorUnsure: boolean;
  /** Android: the model without its manufacturer. Apple: the hardware name (`iphone15,2`). Lower case. */
  readonly model: string | null;
  /** Android: the group of makers; null if it is unknown. */
  readonly maker: string | null;
  /** `iphone`, `ipad`, `ipod`. */
  readonly family: string | null;
  /** Whether it is an iPad that asks for desktop pages or a Mac: they would send the same. */
  readonly mayBeComputer: boolean;
  /** Canonical language tags (BCP 47) without script, the preferred one first. */
  readonly languages: readonly string[];
  /** Canonical IANA name. */
  readonly timezone: string | null;
  readonly screen: Screen | null;
}

/** In CSS pixels, independent of the orientation. */
export interface Screen {
  readonly shorter: number;
  readonly longer: number;
  readonly pixelRatio: number | null;
}

/** From an SDK; sizes in physical pixels, `screenDensity` is the pixel ratio. */
export interface DeviceReport {
  readonly platform: Platform;
  readonly osVersion?: string | null;
  readonly deviceModel?: string | null;
  /** Some SDKs send that of the web view. */
  readonly userAgent?: string | null;
  readonly screenWidth?: number | null;
  readonly screenHeight?: number | null;
  readonly screenDensity?: number | null;
  readonly locale?: string | null;
  readonly timezone?: string | null;
}

/** From the landing page; sizes in CSS pixels. */
export interface PageReport {
  readonly screenWidth?: number | null;
  readonly screenHeight?: number | null;
  readonly pixelRatio?: number | null;
  readonly timezone?: string | null;
  readonly languages?: readonly string[] | null;
  readonly model?: string | null;
  readonly platformVersion?: string | null;
  readonly maxTouchPoints?: number | null;
  /** Whether the main pointer is a finger. */
  readonly coarsePointer?: boolean | null;
}

interface ClickReport {
  readonly userAgent: string | null;
  readonly acceptLanguage: string | null;
  readonly page: PageReport | null;
}

/** The fields of the report take precedence over its user agent. */
export function signalsOfDevice(report: DeviceReport): Signals {
  const agent = readUserAgent(report.userAgent ?? '');
  const isApple = report.platform === 'IOS';
  return {
    ...versionOf(report.osVersion, agent, isApple),
    ...modelOf(report.deviceModel ?? agent.model, isApple),
    family: isApple ? (appleFamily(report.deviceModel) ?? agent.family) : null,
    mayBeComputer: false,
    languages: languageTags([report.locale ?? agent.locale]),
    timezone: timezoneName(report.timezone),
    screen: physicalScreen(report.screenWidth, report.screenHeight, report.screenDensity),
  };
}

/** Page data takes precedence over request headers. */
export function signalsOfClick({ userAgent, acceptLanguage, page }: ClickReport): Signals {
  const agent = readUserAgent(userAgent ?? '');
  const hidden = hiddenDevice(agent, page);
  const mayBeComputer = hidden?.mayBeComputer ?? false;
  return {
    ...versionOf(page?.platformVersion, agent, agent.platform !== 'ANDROID'),
    ...modelOf(page?.model ?? agent.model, agent.family !== null),
    family: agent.family ?? (mayBeComputer ? null : (hidden?.family ?? null)),
    mayBeComputer,
    languages: languageTags(page?.languages ?? [agent.locale, ...acceptedLanguages(acceptLanguage)]),
    timezone: timezoneName(page?.timezone),
    screen:
      screenOf(page?.screenWidth, page?.screenHeight, page?.pixelRatio ?? null, 1) ?? screenInAgent(agent),
  };
}

type Version = Pick<Signals, 'osVersion' | 'mayBeFrozen' | 'isMinorUnsure'>;

/**
 * The system's version of a browser on a phone or tablet of this platform, whether or not its user agent names it.
 * @param platformVersion from client hints, which only browsers on Android send for a phone.
 */
export function versionOfBrowser(
  userAgent: string | null,
  { platform, platformVersion }: { platform: Platform; platformVersion: string | null },
): Version {
  const agent = readUserAgent(userAgent ?? '');
  const isIts = agent.platform === platform || agent.hidden === platform;
  const explicit = platform === 'ANDROID' ? platformVersion : null;
  return versionOf(explicit, isIts ? agent : readUserAgent(''), platform === 'IOS');
}

/** An explicit version is reliable; that of a user agent may not be. */
function versionOf(explicit: string | null | undefined, agent: AgentReport, isApple: boolean): Version {
  const osVersion = versionIn(explicit, isApple);
  if (osVersion !== null) return { osVersion, mayBeFrozen: false, isMinorUnsure: false };
  const { mayBeFrozen, isMinorUnsure } = agent;
  return { osVersion: versionIn(agent.osVersion, isApple), mayBeFrozen, isMinorUnsure };
}

/** `17.5.0` becomes `17.5`, and `14.0.0` of Android `14`. Apple's `26.0` is older than `26.1`, and `26` may be either. */
function versionIn(text: string | null | undefined, isApple: boolean): string | null {
  const version = /(?<!\d)\d{1,4}(\.\d{1,4})*(?!\d)/.exec(
    (text ?? '').slice(0, 64).replaceAll('_', '.'),
  )?.[0];
  const short = version?.replace(/(\.0+)+$/, '') ?? null;
  return isApple && short !== version && short?.includes('.') === false ? `${short}.0` : short;
}

function modelOf(text: string | null | undefined, isApple: boolean): Pick<Signals, 'model' | 'maker'> {
  const name = readModelName(text);
  if (!isApple) return name;
  return { model: APPLE_HARDWARE.test(name.model ?? '') ? name.model : null, maker: null };
}

const APPLE_HARDWARE = /^[a-z]+\d+,\d+$/;

const MAX_LANGUAGES = 8;

function languageTags(tags: readonly (string | null | undefined)[]): string[] {
  const known = tags.slice(0, MAX_LANGUAGES).map(languageTag);
  return [...new Set(known.filter((tag) => tag !== null))];
}

/** Bounds of the caches, whose keys come from clients. */
const MAX_CACHED = 5_000;
const MAX_NAME_CHARACTERS = 64;

/** Language tag in any form to its canonical one; empty if invalid. */
const canonicalTags = new LRUCache<string, string>({ max: MAX_CACHED, memoMethod: canonicalTag });

function languageTag(text: string | null | undefined): string | null {
  return typeof text === 'string' ? canonicalTags.memo(truncate(text, MAX_NAME_CHARACTERS)) || null : null;
}

/** `zh-Hans_CN`, `zh-CN` and `zh_CN` are equal, and so are `iw-IL` and `he-IL`. */
function canonicalTag(text: string): string {
  // Android's `Locale.toString()` appends scripts and extensions after a `#` or an `@`.
  const plain = text
    .trim()
    .replace(/[#@].*$/, '')
    .replaceAll('_', '-')
    .replace(/-+$/, '');
  if (!/^[a-z]{2,3}(-|$)/i.test(plain)) return '';
  try {
    const { language: code = '', region } = new Intl.Locale(plain);
    // Norwegian: phones and browsers differ in which of the two codes they send.
    const language = code === 'no' ? 'nb' : code;
    return region === undefined ? language : `${language}-${region}`;
  } catch {
    return '';
  }
}

/** `de` of `de-CH`. */
export function baseLanguage(tag: string): string {
  const end = tag.indexOf('-');
  return end === -1 ? tag : tag.slice(0, end);
}

function acceptedLanguages(header: string | null): string[] {
  return (header ?? '').split(',', MAX_LANGUAGES).map((part) => part.split(';')[0] ?? '');
}

/** Time zone in any form to its canonical IANA name; empty if invalid. */
const canonicalTimezones = new LRUCache<string, string>({ max: MAX_CACHED, memoMethod: canonicalTimezone });

function timezoneName(text: string | null | undefined): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return canonicalTimezones.memo(truncate(text, MAX_NAME_CHARACTERS)) || null;
}

function canonicalTimezone(text: string): string {
  try {
    const timeZone = text.replace(/^(GMT|UTC)(?=[+-]\d)/, '');
    return new Intl.DateTimeFormat('en', { timeZone }).resolvedOptions().timeZone;
  } catch {
    return '';
  }
}

function screenInAgent({ screen, pixelRatio }: AgentReport): Screen | null {
  return screen === null ? null : physicalScreen(screen[0], screen[1], pixelRatio);
}

function physicalScreen(
  width: number | null | undefined,
  height: number | null | undefined,
  pixelRatio: number | null | undefined,
): Screen | null {
  if (!pixelRatio) return null;
  // Some SDKs send dots per inch.
  const ratio = pixelRatio >= 100 ? pixelRatio / ANDROID_BASE_DPI : pixelRatio;
  return isPossibleRatio(ratio) ? screenOf(width, height, ratio, ratio) : null;
}

/** Sides of phones and tablets in CSS pixels; other sizes are faulty or forged. */
const MIN_SIDE = 160;
const MAX_SIDE = 3_000;

function isPossibleRatio(ratio: number): boolean {
  return ratio >= 0.5 && ratio <= 6;
}

function screenOf(
  width: number | null | undefined,
  height: number | null | undefined,
  pixelRatio: number | null,
  unit: number,
): Screen | null {
  if (!width || !height) return null;
  const [shorter, longer] = width < height ? [width / unit, height / unit] : [height / unit, width / unit];
  if (!(shorter >= MIN_SIDE && longer <= MAX_SIDE)) return null;
  return {
    shorter,
    longer,
    pixelRatio: pixelRatio !== null && isPossibleRatio(pixelRatio) ? pixelRatio : null,
  };
}
