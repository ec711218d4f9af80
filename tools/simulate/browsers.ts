/** Simulated clients: browsers with the user agents of real phones, and a few others. */

/** As the app's SDK reports it. */
export interface Phone {
  readonly platform: 'IOS' | 'ANDROID';
  readonly osVersion: string;
  readonly deviceModel: string;
  readonly screenWidth: number;
  readonly screenHeight: number;
  readonly screenDensity: number;
  readonly locale: string;
  readonly timezone: string;
}

export interface Browser {
  readonly label: string;
  readonly userAgent: string;
  readonly acceptLanguage: string | null;
  /** Expected response to a tap: a landing page for iPhones and in-app browsers, a preview card for chat bots. */
  readonly expects: 'redirect' | 'page' | 'card';
  /** Null for a client that cannot install an app. */
  readonly phone: Phone | null;
}

type Model = Pick<Phone, 'deviceModel' | 'osVersion' | 'screenWidth' | 'screenHeight' | 'screenDensity'>;

const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const GOOGLE = 'AppleWebKit/537.36 (KHTML, like Gecko)';

/** Neighbours in the cycle differ in major version. */
const IPHONES: readonly Model[] = [
  model('iPhone16,1', '18.5', [1179, 2556, 3]),
  model('iPhone14,5', '17.6.1', [1170, 2532, 3]),
  model('iPhone17,2', '18.6.2', [1320, 2868, 3]),
  model('iPhone12,8', '16.7.8', [750, 1334, 2]),
];
const NEW_IPHONES: readonly Model[] = [
  model('iPhone18,1', '26.0.1', [1206, 2622, 3]),
  model('iPhone15,2', '26.1', [1179, 2556, 3]),
];
const ANDROIDS: readonly Model[] = [
  model('Pixel 9', '16', [1080, 2424, 2.625]),
  model('SM-S928B', '15', [1440, 3120, 3.5]),
  model('SM-A546B', '14', [1080, 2340, 2.8125]),
];

/** Neighbours differ in language. */
const PLACES = [
  ['en-US', 'America/New_York'],
  ['de-DE', 'Europe/Berlin'],
  ['fr-FR', 'Europe/Paris'],
  ['en-GB', 'Europe/London'],
  ['ja-JP', 'Asia/Tokyo'],
  ['pt-BR', 'America/Sao_Paulo'],
  ['es-ES', 'Europe/Madrid'],
] as const;

/** @param index selects the phone and the place; both lists are cycled. */
export function safari(index: number): Browser {
  const phone = phoneOf('IOS', IPHONES, index);
  const [major, minor] = phone.osVersion.split('.');
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS ${underscored(phone)} like Mac OS X) ${APPLE} Version/${major}.${minor} Mobile/15E148 Safari/604.1`;
  return browser(`iPhone, Safari ${major}`, userAgent, phone, 'page');
}

/** Safari 26 and later reports `18_6` for every system; only `Version/` has the real version. */
export function safari26(index: number): Browser {
  const phone = phoneOf('IOS', NEW_IPHONES, index);
  const [major, minor] = phone.osVersion.split('.');
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${APPLE} Version/${major}.${minor} Mobile/15E148 Safari/604.1`;
  return browser('iPhone, Safari 26', userAgent, phone, 'page');
}

/** Instagram's in-app browser adds model, language and screen to its user agent. */
export function instagramOnIphone(index: number): Browser {
  const phone = phoneOf('IOS', IPHONES, index);
  const { deviceModel, locale, screenDensity, screenWidth, screenHeight } = phone;
  const about = `${deviceModel}; iOS ${underscored(phone)}; ${locale}; ${locale.slice(0, 2)}; scale=${screenDensity.toFixed(2)}; ${screenWidth}x${screenHeight}; IABMV/1; 750122010`;
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS ${underscored(phone)} like Mac OS X) ${APPLE} Mobile/22F76 Instagram 390.0.0.28.85 (${about})`;
  return browser('iPhone, Instagram', userAgent, phone, 'page');
}

/** Chrome reports `Android 10; K` for every phone. */
export function chrome(index: number): Browser {
  const userAgent = `Mozilla/5.0 (Linux; Android 10; K) ${GOOGLE} Chrome/141.0.0.0 Mobile Safari/537.36`;
  return browser('Android, Chrome', userAgent, phoneOf('ANDROID', ANDROIDS, index), 'redirect');
}

/** Includes the real version and model, which Chrome hides. */
export function instagramOnAndroid(index: number): Browser {
  const phone = phoneOf('ANDROID', ANDROIDS, index);
  const { osVersion, deviceModel, locale, screenDensity, screenWidth, screenHeight } = phone;
  const about = `${osVersion}; ${screenDensity * 160}dpi; ${screenWidth}x${screenHeight}; ${deviceModel}; ${locale}; 750122010`;
  const userAgent = `Mozilla/5.0 (Linux; Android ${osVersion}; ${deviceModel} Build/AP3A.240905.015; wv) ${GOOGLE} Version/4.0 Chrome/141.0.7390.43 Mobile Safari/537.36 Instagram 390.0.0.43.81 Android (${about})`;
  return browser('Android, Instagram', userAgent, phone, 'page');
}

/** Is redirected to the fallback URL. */
export function desktop(): Browser {
  const userAgent = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${GOOGLE} Chrome/141.0.0.0 Safari/537.36`;
  const acceptLanguage = 'en-US,en;q=0.9';
  return { label: 'desktop, Chrome', userAgent, acceptLanguage, expects: 'redirect', phone: null };
}

/** Fetches a preview card; its click cannot be claimed. */
export function previewBot(): Browser {
  const userAgent = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';
  return { label: 'preview bot', userAgent, acceptLanguage: null, expects: 'card', phone: null };
}

/** A tool: its clicks could be claimed, but are not here. */
export function curl(): Browser {
  return { label: 'curl', userAgent: 'curl/8.14.1', acceptLanguage: null, expects: 'redirect', phone: null };
}

function model(
  deviceModel: string,
  osVersion: string,
  [screenWidth, screenHeight, screenDensity]: readonly [number, number, number],
): Model {
  return { deviceModel, osVersion, screenWidth, screenHeight, screenDensity };
}

function phoneOf(platform: Phone['platform'], models: readonly Model[], index: number): Phone {
  const [language, timezone] = cycle(PLACES, index);
  return { platform, ...cycle(models, index), locale: language.replace('-', '_'), timezone };
}

function browser(label: string, userAgent: string, phone: Phone, expects: Browser['expects']): Browser {
  const language = phone.locale.replace('_', '-');
  return { label, userAgent, acceptLanguage: `${language},${language.slice(0, 2)};q=0.9`, expects, phone };
}

function underscored({ osVersion }: Phone): string {
  return osVersion.replaceAll('.', '_');
}

export function cycle<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
