/**
 * One vocabulary for both sides. A browser and an SDK never say the same thing of the same phone: `en_US` against
 * `en-US`, physical against CSS pixels, a user agent that hides the version. What a side does not tell, or tells
 * impossibly, is null, and null neither agrees nor disagrees.
 */
import { cut } from '../platform/text.ts';
import { type AgentReport, ANDROID_BASE_DPI, readUserAgent } from './user-agent.ts';

export type Platform = 'ANDROID' | 'IOS';

/** What one side tells of its device. */
export interface Signals {
  /** `17.4.1`, or as much of it as is known. */
  readonly osVersion: string | null;
  /** Whether the version may stand for a newer one, so that it proves nothing where it differs. */
  readonly mayBeFrozen: boolean;
  /** Whether only the version's first number is sure. */
  readonly isMinorUnsure: boolean;
  /** Android: the model, without the maker. Apple: the hardware name. Lower case. */
  readonly model: string | null;
  /** `iphone`, `ipad`, `ipod`. */
  readonly family: string | null;
  /** Language tags in their canonical form (BCP 47), the preferred one first. */
  readonly languages: readonly string[];
  /** IANA name in its canonical form. */
  readonly timezone: string | null;
  readonly screen: Screen | null;
}

/** In CSS pixels, the shorter side first, so that turning the phone changes nothing. */
export interface Screen {
  readonly shorter: number;
  readonly longer: number;
  readonly pixelRatio: number | null;
}

/** What an SDK tells; sizes in physical pixels, `screenDensity` the pixel ratio. */
export interface DeviceReport {
  readonly platform: Platform;
  readonly osVersion?: string | null;
  readonly deviceModel?: string | null;
  /** Some SDKs send the web view's, which tells what the two fields above leave out. */
  readonly userAgent?: string | null;
  readonly screenWidth?: number | null;
  readonly screenHeight?: number | null;
  readonly screenDensity?: number | null;
  readonly locale?: string | null;
  readonly timezone?: string | null;
}

/** What a page collected at the click; sizes in CSS pixels. */
export interface PageReport {
  readonly screenWidth?: number | null;
  readonly screenHeight?: number | null;
  readonly pixelRatio?: number | null;
  readonly timezone?: string | null;
  readonly languages?: readonly string[] | null;
  readonly model?: string | null;
  readonly platformVersion?: string | null;
}

/** What a click tells of its device. */
interface ClickReport {
  readonly userAgent: string | null;
  readonly acceptLanguage: string | null;
  readonly page: PageReport | null;
}

/** What fields of the report leave out is taken from its user agent, where that tells it. */
export function signalsOfDevice(report: DeviceReport): Signals {
  const agent = readUserAgent(report.userAgent ?? '');
  const isApple = report.platform === 'IOS';
  const model = modelName(report.deviceModel ?? agent.model);
  return {
    ...versionOf(report.osVersion, agent),
    model: isApple ? appleHardware(model) : model,
    family: isApple ? (appleFamily(report.deviceModel) ?? agent.family) : null,
    languages: languageTags([report.locale ?? agent.locale]),
    timezone: timezoneName(report.timezone),
    screen: physicalScreen(report.screenWidth, report.screenHeight, report.screenDensity),
  };
}

/** What a page collected goes before what the request's headers tell. */
export function signalsOfClick({ userAgent, acceptLanguage, page }: ClickReport): Signals {
  const agent = readUserAgent(userAgent ?? '');
  const model = modelName(page?.model ?? agent.model);
  return {
    ...versionOf(page?.platformVersion, agent),
    model: agent.family === null ? model : appleHardware(model),
    family: agent.family,
    languages: languageTags(page?.languages ?? [agent.locale, ...acceptedLanguages(acceptLanguage)]),
    timezone: timezoneName(page?.timezone),
    screen:
      screenOf(page?.screenWidth, page?.screenHeight, page?.pixelRatio ?? null, 1) ?? screenInAgent(agent),
  };
}

/** What is told outright is sure; a user agent's is not always. */
function versionOf(
  told: string | null | undefined,
  agent: AgentReport,
): Pick<Signals, 'osVersion' | 'mayBeFrozen' | 'isMinorUnsure'> {
  const osVersion = versionIn(told);
  if (osVersion !== null) return { osVersion, mayBeFrozen: false, isMinorUnsure: false };
  const { mayBeFrozen, isMinorUnsure } = agent;
  return { osVersion: versionIn(agent.osVersion), mayBeFrozen, isMinorUnsure };
}

function versionIn(text: string | null | undefined): string | null {
  const version = /(?<!\d)\d{1,4}(\.\d{1,4})*(?!\d)/.exec(
    (text ?? '').slice(0, 64).replaceAll('_', '.'),
  )?.[0];
  // `17.5.0` and `14.0.0` are `17.5` and `14`.
  return version?.replace(/(\.0+)+$/, '') ?? null;
}

function appleFamily(model: string | null | undefined): string | null {
  return /^(iphone|ipad|ipod)/i.exec(model?.trim() ?? '')?.[0].toLowerCase() ?? null;
}

function appleHardware(model: string | null): string | null {
  return model !== null && /^[a-z]+\d+,\d+$/.test(model) ? model : null;
}

const MAKER =
  /^(samsung|google|xiaomi|redmi|poco|oppo|vivo|realme|oneplus|motorola|huawei|honor|sony|nokia|hmd|tecno|infinix|itel|lge|lg|htc|asus|zte|lenovo|tcl|sharp|fairphone|nothing)[ _-]+(?=\S)/;

function modelName(model: string | null | undefined): string | null {
  let name = model?.trim().toLowerCase().replaceAll(/\s+/g, ' ').slice(0, 128) ?? '';
  for (let bare = name.replace(MAKER, ''); bare !== name; bare = name.replace(MAKER, '')) name = bare;
  name = name.replace(/\/\S*$/, '');
  return name === '' || name === 'k' ? null : name;
}

const MAX_LANGUAGES = 8;

function languageTags(tags: readonly (string | null | undefined)[]): string[] {
  const known = tags.slice(0, MAX_LANGUAGES).map(languageTag);
  return [...new Set(known.filter((tag) => tag !== null))];
}

const tagsByText = new Map<string, string | null>();
const MAX_REMEMBERED = 5_000;
const MAX_NAME_CHARACTERS = 64;

/** `zh-Hans_CN`, `zh-CN` and `zh_CN` are one; so are `iw-IL` and `he-IL`. */
function languageTag(text: string | null | undefined): string | null {
  if (typeof text !== 'string') return null;
  return readOnce(tagsByText, text, (tag) => {
    // Android's Java form carries more behind a `#` or an `@`.
    const plain = tag
      .trim()
      .replace(/[#@.].*$/, '')
      .replaceAll('_', '-')
      .replace(/-+$/, '');
    if (!/^[a-z]{2,3}(-|$)/i.test(plain)) return null;
    try {
      const { language: code, region } = new Intl.Locale(plain);
      // Norwegian has two names, and phones and browsers differ in which they use.
      const language = code === 'no' ? 'nb' : code;
      return region === undefined ? (language ?? null) : `${language}-${region}`;
    } catch {
      return null;
    }
  });
}

/** `de` of `de-CH`. */
export function baseLanguage(tag: string): string {
  const end = tag.indexOf('-');
  return end === -1 ? tag : tag.slice(0, end);
}

function acceptedLanguages(header: string | null): string[] {
  return (header ?? '').split(',', MAX_LANGUAGES).map((part) => part.split(';')[0] ?? '');
}

const timezonesByText = new Map<string, string | null>();

function timezoneName(text: string | null | undefined): string | null {
  if (typeof text !== 'string' || text === '') return null;
  return readOnce(timezonesByText, text, (timeZone) => {
    try {
      const zone = timeZone.replace(/^(GMT|UTC)(?=[+-]\d)/, '');
      return new Intl.DateTimeFormat('en', { timeZone: zone }).resolvedOptions().timeZone;
    } catch {
      return null;
    }
  });
}

/** Reads a text once. What strangers send is bounded. */
function readOnce<T>(known: Map<string, T>, text: string, read: (text: string) => T): T {
  const name = cut(text, MAX_NAME_CHARACTERS);
  const before = known.get(name);
  if (before !== undefined) return before;
  if (known.size >= MAX_REMEMBERED) known.clear();
  const value = read(name);
  known.set(name, value);
  return value;
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

/** No phone or tablet is narrower or longer than that, in CSS pixels; anything else is a mistake or a lie. */
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
