/**
 * One vocabulary for both sides. A browser and an SDK never say the same thing of the same phone: `en_US` against
 * `en-US`, physical against CSS pixels, a user agent that hides the version. What a side does not tell is null, and
 * null neither agrees nor disagrees.
 */
import { UAParser } from 'my-ua-parser';

export interface Signals {
  /** `17.4.1`, or as much of it as is known. */
  readonly osVersion: string | null;
  /** Android: the model; Apple: the family (`iphone`, `ipad`), since a browser tells no more. */
  readonly model: string | null;
  /** A language tag in lower case with hyphens. */
  readonly language: string | null;
  readonly timezone: string | null;
  /** In CSS pixels, the shorter side first, so that turning the phone changes nothing. */
  readonly screen: readonly [shorter: number, longer: number] | null;
}

/** What an SDK tells; sizes in physical pixels, `screenDensity` the pixel ratio. */
export interface DeviceReport {
  readonly platform: 'ANDROID' | 'IOS';
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
  readonly timezone?: string | null;
  readonly languages?: readonly string[] | null;
  readonly model?: string | null;
  readonly platformVersion?: string | null;
}

export function signalsOfDevice(report: DeviceReport): Signals {
  const ratio = report.screenDensity ?? 0;
  const agent = signalsOfUserAgent(report.platform, report.userAgent ?? '');
  const model = report.platform === 'IOS' ? appleFamily(report.deviceModel) : modelName(report.deviceModel);
  return {
    osVersion: versionIn(report.osVersion) ?? agent.osVersion,
    model: model ?? agent.model,
    language: languageTag(report.locale),
    timezone: report.timezone ?? null,
    screen: ratio > 0 ? screenOf(report.screenWidth, report.screenHeight, ratio) : null,
  };
}

export function signalsOfClick(click: {
  platform: string | null;
  user_agent: string | null;
  accept_language: string | null;
  device_model: string | null;
  fingerprint: string | null;
}): Signals {
  const page = click.fingerprint === null ? {} : (JSON.parse(click.fingerprint) as PageReport);
  const agent = signalsOfUserAgent(click.platform, click.user_agent ?? '');
  return {
    osVersion: versionIn(page.platformVersion) ?? agent.osVersion,
    model: modelName(click.device_model ?? page.model) ?? agent.model,
    language:
      languageTag(page.languages?.[0]) ?? languageTag(click.accept_language?.split(',')[0]?.split(';')[0]),
    timezone: page.timezone ?? null,
    screen: screenOf(page.screenWidth, page.screenHeight, 1),
  };
}

function signalsOfUserAgent(
  platform: string | null,
  userAgent: string,
): Pick<Signals, 'osVersion' | 'model'> {
  const parser = new UAParser(userAgent);
  const version = parser.getOS().version ?? null;
  const { model = null } = parser.getDevice();
  if (platform === 'IOS') return { osVersion: appleVersion(userAgent, version), model: appleFamily(model) };
  // Chrome says `Android 10; K` on every phone.
  if (model === 'K') return { osVersion: null, model: null };
  return { osVersion: versionIn(version), model: modelName(model) };
}

/** From Safari 26 on, `OS 18_6` or `18_7` is frozen and the real major version stands in `Version/`. */
function appleVersion(userAgent: string, version: string | null): string | null {
  const safariMajor = /Version\/(\d+)/.exec(userAgent)?.[1];
  if (safariMajor !== undefined && Number(safariMajor) >= 26 && version?.startsWith('18.'))
    return safariMajor;
  return versionIn(version);
}

function versionIn(text: string | null | undefined): string | null {
  return /\d+(\.\d+)*/.exec(text ?? '')?.[0] ?? null;
}

function appleFamily(model: string | null | undefined): string | null {
  return /^(iphone|ipad|ipod)/i.exec(model ?? '')?.[0].toLowerCase() ?? null;
}

function modelName(model: string | null | undefined): string | null {
  const name = model?.trim().toLowerCase();
  return name === undefined || name === '' ? null : name;
}

function languageTag(tag: string | null | undefined): string | null {
  const plain = tag?.trim().replaceAll('_', '-').toLowerCase();
  return plain === undefined || !/^[a-z]{2,3}(-|$)/.test(plain) ? null : plain;
}

function screenOf(
  width: number | null | undefined,
  height: number | null | undefined,
  ratio: number,
): Signals['screen'] {
  if (!width || !height) return null;
  const sides = [Math.round(width / ratio), Math.round(height / ratio)].sort((a, b) => a - b);
  return [sides[0] ?? 0, sides[1] ?? 0];
}
