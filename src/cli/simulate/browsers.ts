/** What taps a link: browsers on phones that exist, with the user agents that they really send, and a few others. */

/** What the app's SDK tells of its phone. */
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

/** What taps, as far as the service sees it: a browser on a phone or not, or a program. */
export interface Browser {
  /** As the story names it. */
  readonly label: string;
  readonly userAgent: string;
  readonly acceptLanguage: string | null;
  /** What a tap is answered with: iPhones and browsers inside apps get the landing page, who draws a chat's card gets that. */
  readonly gets: 'redirect' | 'page' | 'card';
  /** Null for what cannot install an app. */
  readonly phone: Phone | null;
}

type Model = Pick<Phone, 'deviceModel' | 'osVersion' | 'screenWidth' | 'screenHeight' | 'screenDensity'>;

const APPLE = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const GOOGLE = 'AppleWebKit/537.36 (KHTML, like Gecko)';

/** Phones that follow each other here differ in major version, and so do the last and the first. */
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

/** Languages that follow each other here differ. */
const PLACES = [
  ['en-US', 'America/New_York'],
  ['de-DE', 'Europe/Berlin'],
  ['fr-FR', 'Europe/Paris'],
  ['en-GB', 'Europe/London'],
  ['ja-JP', 'Asia/Tokyo'],
  ['pt-BR', 'America/Sao_Paulo'],
  ['es-ES', 'Europe/Madrid'],
] as const;

/** @param index which of the phones it is, and where: the lists are gone through over and over. */
export function safari(index: number): Browser {
  const phone = phoneOf('IOS', IPHONES, index);
  const [major, minor] = phone.osVersion.split('.');
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS ${underscored(phone)} like Mac OS X) ${APPLE} Version/${major}.${minor} Mobile/15E148 Safari/604.1`;
  return browser(`iPhone, Safari ${major}`, userAgent, phone, 'page');
}

/** From 26 on Safari says `18_6` of every system; only `Version/` tells. */
export function safari26(index: number): Browser {
  const phone = phoneOf('IOS', NEW_IPHONES, index);
  const [major, minor] = phone.osVersion.split('.');
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${APPLE} Version/${major}.${minor} Mobile/15E148 Safari/604.1`;
  return browser('iPhone, Safari 26', userAgent, phone, 'page');
}

/** Apps' own browsers tell model, language and screen in their user agent. */
export function instagramOnIphone(index: number): Browser {
  const phone = phoneOf('IOS', IPHONES, index);
  const { deviceModel, locale, screenDensity, screenWidth, screenHeight } = phone;
  const about = `${deviceModel}; iOS ${underscored(phone)}; ${locale}; ${locale.slice(0, 2)}; scale=${screenDensity.toFixed(2)}; ${screenWidth}x${screenHeight}; IABMV/1; 750122010`;
  const userAgent = `Mozilla/5.0 (iPhone; CPU iPhone OS ${underscored(phone)} like Mac OS X) ${APPLE} Mobile/22F76 Instagram 390.0.0.28.85 (${about})`;
  return browser('iPhone, Instagram', userAgent, phone, 'page');
}

/** Chrome says `Android 10; K` of every phone. */
export function chrome(index: number): Browser {
  const userAgent = `Mozilla/5.0 (Linux; Android 10; K) ${GOOGLE} Chrome/141.0.0.0 Mobile Safari/537.36`;
  return browser('Android, Chrome', userAgent, phoneOf('ANDROID', ANDROIDS, index), 'redirect');
}

/** As on iPhones, with the real version and model where Chrome hides both. */
export function instagramOnAndroid(index: number): Browser {
  const phone = phoneOf('ANDROID', ANDROIDS, index);
  const { osVersion, deviceModel, locale, screenDensity, screenWidth, screenHeight } = phone;
  const about = `${osVersion}; ${screenDensity * 160}dpi; ${screenWidth}x${screenHeight}; ${deviceModel}; ${locale}; 750122010`;
  const userAgent = `Mozilla/5.0 (Linux; Android ${osVersion}; ${deviceModel} Build/AP3A.240905.015; wv) ${GOOGLE} Version/4.0 Chrome/141.0.7390.43 Mobile Safari/537.36 Instagram 390.0.0.43.81 Android (${about})`;
  return browser('Android, Instagram', userAgent, phone, 'page');
}

/** Ends at the fallback: there is nothing to install. */
export function desktop(): Browser {
  const userAgent = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${GOOGLE} Chrome/141.0.0.0 Safari/537.36`;
  const acceptLanguage = 'en-US,en;q=0.9';
  return { label: 'desktop, Chrome', userAgent, acceptLanguage, gets: 'redirect', phone: null };
}

/** Draws a card for a chat, and makes a click that nobody can claim. */
export function previewBot(): Browser {
  const userAgent = 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)';
  return { label: 'preview bot', userAgent, acceptLanguage: null, gets: 'card', phone: null };
}

/** A tool: its clicks can be claimed, and nobody here does. */
export function curl(): Browser {
  return { label: 'curl', userAgent: 'curl/8.14.1', acceptLanguage: null, gets: 'redirect', phone: null };
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

function browser(label: string, userAgent: string, phone: Phone, gets: Browser['gets']): Browser {
  const language = phone.locale.replace('_', '-');
  return { label, userAgent, acceptLanguage: `${language},${language.slice(0, 2)};q=0.9`, gets, phone };
}

function underscored({ osVersion }: Phone): string {
  return osVersion.replaceAll('.', '_');
}

/** The list, over and over. */
export function cycle<T>(list: readonly T[], index: number): T {
  return list[index % list.length] as T;
}
