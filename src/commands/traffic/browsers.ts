/** The content of a click: user agent, language header, and the signals of a landing page. */

import { COMPUTERS } from './computers.ts';
import type { Owner, Phone } from './phones.ts';
import type { Random } from './random.ts';
import type { Settings } from './settings.ts';
import type { Signals } from './touches.ts';
import { androidBuild, iosBuild, underscored } from './versions.ts';

export type Browser =
  | 'safari'
  | 'chrome'
  | 'samsung'
  | 'firefox'
  | 'instagram'
  | 'facebook'
  | 'webview'
  | 'computer';

interface ClickContent {
  readonly userAgent: string;
  readonly acceptLanguage: string | null;
  readonly signals: Signals | null;
}

export function chooseBrowser(random: Random, { phone }: Owner, { inAppShare }: Settings): Browser {
  if (random.chance(inAppShare)) return random.key({ instagram: 0.5, facebook: 0.35, webview: 0.15 });
  if (phone.platform === 'IOS') return random.key({ safari: 0.85, chrome: 0.15 });
  if (phone.maker === 'samsung') return random.key({ chrome: 0.72, samsung: 0.25, firefox: 0.03 });
  return random.key({ chrome: 0.96, firefox: 0.04 });
}

export function buildClickContent(
  random: Random,
  owner: Owner,
  browser: Browser,
  { pageShare }: Pick<Settings, 'pageShare'>,
): ClickContent {
  if (browser === 'computer') return computer(random, owner, pageShare);
  const { phone } = owner;
  const userAgent = phone.platform === 'IOS' ? ios(random, owner, browser) : android(random, owner, browser);
  return {
    userAgent,
    acceptLanguage: acceptLanguage(random, owner, browser),
    signals: random.chance(pageShare) ? page(random, owner, phone, browser) : null,
  };
}

function ios(random: Random, { phone, language }: Owner, browser: Browser): string {
  const { osVersion, model, isTablet } = phone;
  const device = isTablet ? 'iPad; CPU' : 'iPhone; CPU iPhone';
  const [major = '', minor = '0'] = osVersion.split('.');
  const engine = (os: string) =>
    `Mozilla/5.0 (${device} OS ${underscored(os)} like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)`;
  // Safari on iOS 26 reports 18.6 or 18.7; apps built for it do the same.
  const frozen = Number(major) >= 26 ? random.pick(['18_6', '18_7', '18_7']) : osVersion;
  const inApp = engine(random.chance(FROZEN_IN_APP_SHARE) ? frozen : osVersion);
  const build = `Mobile/${iosBuild(osVersion)}`;
  const locale = language.tag.replace('-', '_');
  switch (browser) {
    case 'safari':
      if (isTablet)
        return `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/${major}.${minor} Safari/605.1.15`;
      return `${engine(frozen)} Version/${major}.${minor} Mobile/15E148 Safari/604.1`;
    case 'instagram': {
      const screen = `scale=${phone.density.toFixed(2)}; ${phone.width}x${phone.height}`;
      return `${inApp} ${build} Instagram 4${random.between(10, 18)}.0.0.${random.between(20, 40)}.${random.between(60, 90)} (${model}; iOS ${underscored(osVersion)}; ${locale}; ${language.tag.slice(0, 2)}; ${screen}; ${random.between(750_000_000, 890_000_000)}; IABMV/1)`;
    }
    case 'facebook':
      return `${inApp} ${build} [FBAN/FBIOS;FBAV/5${random.between(40, 52)}.0.0.${random.between(20, 60)}.${random.between(90, 130)};FBBV/${random.between(800_000_000, 890_000_000)};FBDV/${model};FBMD/${isTablet ? 'iPad' : 'iPhone'};FBSN/iOS;FBSV/${osVersion};FBSS/${Math.round(phone.density)};FBCR/;FBID/${isTablet ? 'tablet' : 'phone'};FBLC/${locale};FBOP/80]`;
    case 'webview':
      return `${inApp} Mobile/15E148`;
    default:
      return `${engine(osVersion)} CriOS/${phone.chromeMajor}.0.${random.between(7_000, 7_600)}.${random.between(20, 180)} Mobile/15E148 Safari/604.1`;
  }
}

function android(random: Random, { phone, language }: Owner, browser: Browser): string {
  const { osVersion, model, maker, chromeMajor, width, height } = phone;
  const engine = 'AppleWebKit/537.36 (KHTML, like Gecko)';
  const reduced = `Mozilla/5.0 (Linux; Android 10; K) ${engine}`;
  const webview = `Mozilla/5.0 (Linux; Android ${osVersion}; ${model} Build/${androidBuild(osVersion)}; wv) ${engine} Version/4.0 Chrome/${chromeMajor}.0.${chromeMajor * 53}.${random.between(30, 170)} Mobile Safari/537.36`;
  switch (browser) {
    case 'samsung':
      return `${reduced} SamsungBrowser/29.0 Chrome/136.0.0.0 Mobile Safari/537.36`;
    case 'firefox':
      return `Mozilla/5.0 (Android ${osVersion}; Mobile; rv:147.0) Gecko/147.0 Firefox/147.0`;
    case 'instagram': {
      const dpi = Math.round(phone.density * 160);
      // Some versions include the system bars in the height.
      const screen = `${width}x${random.chance(0.5) ? height : height - Math.round(72 * phone.density)}`;
      return `${webview} Instagram 4${random.between(10, 18)}.0.0.${random.between(20, 40)}.${random.between(60, 90)} Android (${Number(osVersion) + 20}/${osVersion}; ${dpi}dpi; ${screen}; ${maker}; ${model}; ${codename(model)}; ${random.pick(['qcom', 's5e8845', 'mt6855'])}; ${language.tag.replace('-', '_')}; ${random.between(750_000_000, 890_000_000)}; IABMV/1)`;
    }
    case 'facebook':
      return `${webview} [FB_IAB/FB4A;FBAV/5${random.between(40, 52)}.0.0.${random.between(20, 60)}.${random.between(50, 80)};IABMV/1;]`;
    case 'webview':
      return webview;
    default:
      return `${reduced} Chrome/${chromeMajor}.0.0.0 Mobile Safari/537.36`;
  }
}

/** An arbitrary internal name. */
function codename(model: string): string {
  return model.toLowerCase().replace(/\W/g, '').slice(-4);
}

/** Safari sends one language; Chrome and WebViews send all of the owner's, with decreasing weight. */
function acceptLanguage(random: Random, owner: Owner, browser: Browser): string | null {
  if (random.chance(0.01)) return null;
  const { tag, more } = owner.browserLanguage;
  if (owner.phone.platform === 'IOS' && browser !== 'computer') {
    const base = tag.split('-')[0];
    return random.chance(0.7) ? `${tag},${base};q=0.9` : tag;
  }
  const all = [tag, ...more];
  return all.map((one, index) => (index === 0 ? one : `${one};q=${(1 - index / 10).toFixed(1)}`)).join(',');
}

function page(random: Random, owner: Owner, phone: Phone, browser: Browser): Signals {
  const { tag, more } = owner.browserLanguage;
  const isIos = phone.platform === 'IOS';
  const hasHints = !isIos && (browser === 'chrome' || browser === 'samsung');
  const isLandscape = random.chance(isIos ? 0 : 0.03);
  const [width, height] = cssSize(phone, browser);
  return {
    screenWidth: isLandscape ? height : width,
    screenHeight: isLandscape ? width : height,
    pixelRatio: isIos ? Math.round(phone.density) : Number(phone.density.toFixed(4)),
    timezone: zoneAsBrowser(owner.zone.name, browser),
    languages: isIos || random.chance(0.2) ? [tag] : [tag, ...more],
    model: hasHints ? phone.model : null,
    platformVersion: hasHints ? `${phone.osVersion}.0.0` : null,
    maxTouchPoints: 5,
  };
}

/** Chromium rounds up, Firefox and Safari to the nearest. */
function cssSize({ width, height, density }: Phone, browser: Browser): [number, number] {
  const round = browser === 'firefox' || browser === 'safari' ? Math.round : Math.ceil;
  return [round(width / density - 1e-6), round(height / density - 1e-6)];
}

/** Engines other than Firefox keep deprecated zone names. */
function zoneAsBrowser(zone: string, browser: Browser): string {
  return browser === 'firefox' ? zone : (OLD_NAMES[zone] ?? zone);
}

function computer(random: Random, owner: Owner, pageShare: number): ClickContent {
  const { tag, more } = owner.browserLanguage;
  const desk = random.weighted(COMPUTERS);
  const [screenWidth, screenHeight, pixelRatio] = random.pick(desk.screens);
  const signals: Signals = {
    screenWidth,
    screenHeight,
    pixelRatio,
    timezone: zoneAsBrowser(owner.zone.name, 'computer'),
    languages: [tag, ...more],
    model: desk.platformVersion === null ? null : '',
    platformVersion: desk.platformVersion,
    maxTouchPoints: 0,
  };
  return {
    userAgent: desk.userAgent,
    acceptLanguage: acceptLanguage(random, owner, 'computer'),
    signals: random.chance(pageShare) ? signals : null,
  };
}

/** In-app browsers on iOS 26 that report the frozen version; the others report the real one. */
const FROZEN_IN_APP_SHARE = 0.4;

export const OLD_NAMES: Readonly<Record<string, string>> = {
  'Asia/Kolkata': 'Asia/Calcutta',
  'Asia/Ho_Chi_Minh': 'Asia/Saigon',
};
