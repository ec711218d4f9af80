/** The fingerprint of an install. Each release of the app has its own formats, the same for all of its users. */

import { OLD_NAMES } from './browsers.ts';
import type { Owner, Phone } from './phones.ts';
import type { Random } from './random.ts';
import type { Settings } from './settings.ts';
import type { Fingerprint } from './touches.ts';
import { androidBuild, underscored } from './versions.ts';

/** Formats of one release of the app, by platform. */
export interface Release {
  readonly weight: number;
  readonly appVersion: string;
  readonly sdkVersion: string;
  readonly userAgent: Readonly<Record<Phone['platform'], 'network' | 'webview' | 'app' | 'none'>>;
  readonly model: Readonly<Record<Phone['platform'], 'id' | 'name' | 'family' | 'maker'>>;
  readonly locale: 'hyphen' | 'underscore' | 'script';
  readonly hasBars: boolean;
  readonly zone: 'new' | 'old' | 'offset';
}

/** The newest release, the previous one and an old one, with decreasing shares. */
export function buildReleases(random: Random): Release[] {
  return [0.7, 0.2, 0.1].map((weight, age) => ({
    weight,
    appVersion: `3.${9 - age * 2}.${random.between(0, 4)}`,
    sdkVersion: `1.${4 - age}.0`,
    userAgent: {
      IOS: random.key({ network: 0.45, webview: 0.3, app: 0.15, none: 0.1 }),
      ANDROID: random.key({ network: 0.4, webview: 0.4, app: 0.1, none: 0.1 }),
    },
    model: {
      IOS: random.key({ id: 0.75, family: 0.15, name: 0.1 }),
      ANDROID: random.key({ id: 0.65, maker: 0.35 }),
    },
    locale: random.key({ hyphen: 0.4, underscore: 0.4, script: 0.2 }),
    hasBars: random.chance(0.7),
    zone: random.key({ new: 0.7, old: 0.25, offset: 0.05 }),
  }));
}

export function fingerprint(
  random: Random,
  owner: Owner,
  release: Release,
  { missingShare }: Pick<Settings, 'missingShare'>,
): Omit<Fingerprint, 'ipAddress'> {
  const { phone } = owner;
  const maybe = <T>(value: T): T | null => (random.chance(missingShare) ? null : value);
  const hidesSize = random.chance(missingShare);
  return {
    userAgent: userAgent(owner, release),
    platform: phone.platform,
    osVersion: maybe(osVersion(random, phone)),
    deviceModel: maybe(model(phone, release)),
    screenWidth: hidesSize ? null : phone.width,
    screenHeight: hidesSize ? null : height(phone, release),
    screenDensity: hidesSize ? null : density(phone),
    locale: maybe(locale(owner, release)),
    timezone: maybe(zone(owner, release)),
    appVersion: release.appVersion,
    sdkVersion: release.sdkVersion,
  };
}

function userAgent({ phone }: Owner, { userAgent, appVersion }: Release): string | null {
  const isIos = phone.platform === 'IOS';
  const { osVersion, model } = phone;
  switch (userAgent[phone.platform]) {
    case 'network':
      return isIos ? 'Acme/391 CFNetwork/3860.300.31 Darwin/25.2.0' : 'okhttp/4.12.0';
    case 'app':
      return `Acme/${appVersion} ${isIos ? 'iOS' : 'Android'}/${osVersion}`;
    case 'webview':
      return isIos
        ? `Mozilla/5.0 (iPhone; CPU iPhone OS ${underscored(osVersion)} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148`
        : `Mozilla/5.0 (Linux; Android ${osVersion}; ${model} Build/${androidBuild(osVersion)}; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/${phone.chromeMajor}.0.${phone.chromeMajor * 53}.${phone.chromeMajor % 100} Mobile Safari/537.36`;
    default:
      return null;
  }
}

function osVersion(random: Random, { platform, osVersion }: Phone): string {
  if (platform === 'ANDROID') return random.chance(0.05) ? `${osVersion}.0` : osVersion;
  return osVersion.includes('.') ? osVersion : `${osVersion}.0`;
}

function model(phone: Phone, { model }: Release): string {
  switch (model[phone.platform]) {
    case 'name':
      return phone.marketingName;
    case 'family':
      return phone.isTablet ? 'iPad' : 'iPhone';
    case 'maker':
      return `${phone.maker} ${phone.model}`;
    default:
      return phone.model;
  }
}

/** Some releases report the window's height, without the navigation bar. */
function height({ platform, height, density }: Phone, { hasBars }: Release): number {
  return platform === 'ANDROID' && !hasBars ? height - Math.round(48 * density) : height;
}

/** iOS reports 2 or 3, also with Display Zoom. */
function density({ platform, density }: Phone): number {
  return platform === 'IOS' ? Math.round(density) : Number(density.toFixed(4));
}

function locale({ language }: Owner, { locale }: Release): string {
  const [base = '', region = ''] = language.tag.split('-');
  if (locale === 'hyphen') return language.tag;
  const script = SCRIPTS[language.tag];
  return locale === 'script' && script ? `${base}-${script}_${region}` : `${base}_${region}`;
}

function zone(owner: Owner, { zone }: Release): string {
  const { name, offsetHours } = owner.zone;
  if (zone === 'new') return name;
  if (zone === 'old') return OLD_NAMES[name] ?? name;
  const minutes = Math.round(Math.abs(offsetHours) * 60);
  const twoDigits = (value: number) => String(value).padStart(2, '0');
  return `GMT${offsetHours < 0 ? '-' : '+'}${twoDigits(Math.floor(minutes / 60))}:${twoDigits(minutes % 60)}`;
}

const SCRIPTS: Readonly<Record<string, string>> = { 'zh-CN': 'Hans', 'zh-TW': 'Hant' };
