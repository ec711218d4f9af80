/** Who taps: many addresses, devices and languages, the same ones in every run. */

/** Every service of a bench has so many. */
export const LINKS = 48;
/** For taps that spread over more than are known from a moment ago. */
export const MANY_LINKS = 10_000;
const ADDRESSES = 40_000;
const USER_AGENTS = 4_000;
const REQUESTS = 60_000;
/** The rest is on a desk. */
const IPHONE_SHARE = 0.5;
const ANDROID_SHARE = 0.38;

export function shortCode(link: number): string {
  return `bench-${String(link).padStart(2, '0')}`;
}

/** What taps are answered with: programs get the redirect, of few links or of many, browsers on iPhones the landing page. */
export type Answers = 'redirects' | 'redirectsOfMany' | 'pages';

/** How many links are tapped. */
export function linksOf(answers: Answers): number {
  return answers === 'redirectsOfMany' ? MANY_LINKS : LINKS;
}

/** Requests for the links, ready to be written to a socket. */
export function buildRequests(answers: Answers): Buffer[] {
  const random = seededRandom(20_260_901);
  const isForPages = answers === 'pages';
  const links = linksOf(answers);
  const userAgents = Array.from({ length: USER_AGENTS }, () => (isForPages ? iphone : userAgent)(random));
  const accept = isForPages ? 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' : '*/*';
  const addresses = Array.from({ length: ADDRESSES }, () => address(random));
  return Array.from({ length: REQUESTS }, () =>
    Buffer.from(
      [
        `GET /l/${shortCode(Math.floor(random() * links))} HTTP/1.1`,
        'Host: links.example.com',
        `X-Forwarded-For: ${pick(random, addresses)}`,
        `User-Agent: ${pick(random, userAgents)}`,
        `Accept: ${accept}`,
        `Accept-Language: ${pick(random, LANGUAGES)}`,
        'Accept-Encoding: gzip, deflate, br',
        '\r\n',
      ].join('\r\n'),
    ),
  );
}

/** Somebody with a phone or a computer, as a tap tells of them. */
export interface Visitor {
  readonly address: string;
  readonly userAgent: string;
  readonly acceptLanguage: string;
}

/** So many visitors from an address each. */
export function buildVisitors(count: number, seed: number, have: 'any' | 'android' = 'any'): Visitor[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => ({
    address: address(random),
    userAgent: have === 'android' ? android(random) : userAgent(random),
    acceptLanguage: pick(random, LANGUAGES),
  }));
}

/** What an app on the phone of an Android visitor tells of it. */
export function androidFingerprint({ userAgent, acceptLanguage }: Visitor): Record<string, unknown> {
  const [, osVersion, deviceModel] = /Android (\d+); (.+?) Build/.exec(userAgent) ?? [];
  return {
    platform: 'ANDROID',
    userAgent,
    osVersion,
    deviceModel,
    screenWidth: 1_080,
    screenHeight: 2_340,
    screenDensity: 2.625,
    locale: acceptLanguage.split(',', 1)[0],
    timezone: 'Europe/Berlin',
    appVersion: '3.9.1',
    sdkVersion: '1.4.0',
  };
}

type Random = () => number;

/** Mulberry32: small, even enough, and the same everywhere. */
function seededRandom(seed: number): Random {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

function pick<T>(random: Random, list: readonly T[]): T {
  return list[Math.floor(random() * list.length)] as T;
}

function between(random: Random, low: number, high: number): number {
  return low + Math.floor(random() * (high - low + 1));
}

/** One in five visitors comes over IPv6. */
function address(random: Random): string {
  const byte = () => between(random, 1, 254);
  const group = () => between(random, 1, 0xffff).toString(16);
  if (random() < 0.2) return `2001:db8:${group()}:${group()}:${group()}:${group()}:${group()}:${group()}`;
  return `${between(random, 11, 99)}.${byte()}.${byte()}.${byte()}`;
}

function userAgent(random: Random): string {
  const place = random();
  if (place < IPHONE_SHARE) return iphone(random);
  return place < IPHONE_SHARE + ANDROID_SHARE ? android(random) : desktop(random);
}

function iphone(random: Random): string {
  const [major, minor, patch] = [between(random, 15, 18), between(random, 0, 7), between(random, 0, 3)];
  const device = `Mozilla/5.0 (iPhone; CPU iPhone OS ${major}_${minor}_${patch} like Mac OS X)`;
  const engine = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const build = `Mobile/${between(random, 15, 22)}${pick(random, ['A', 'E', 'F', 'G'])}${between(random, 100, 399)}`;
  const browser = pick(random, [
    `Version/${major}.${minor} Mobile/15E148 Safari/604.1`,
    `Version/${major}.${minor} Mobile/15E148 Safari/604.1`,
    `CriOS/${chromeVersion(random)} Mobile/15E148 Safari/604.1`,
    `${build} Instagram ${between(random, 290, 350)}.0.0.${between(random, 10, 60)}.${between(random, 60, 120)}`,
  ]);
  return `${device} ${engine} ${browser}`;
}

function android(random: Random): string {
  const os = `Android ${between(random, 10, 16)}`;
  const device = pick(random, ANDROID_DEVICES);
  const build = `Build/${pick(random, ['UP1A', 'TQ3A', 'AP3A', 'BP1A'])}.${between(random, 230_101, 251_231)}.${between(random, 1, 40)}`;
  const mobile = `Chrome/${chromeVersion(random)} Mobile Safari/537.36`;
  return `Mozilla/5.0 (Linux; ${os}; ${device} ${build}) AppleWebKit/537.36 (KHTML, like Gecko) ${mobile}`;
}

function desktop(random: Random): string {
  const chrome = `AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeVersion(random)} Safari/537.36`;
  const firefox = between(random, 110, 140);
  return pick(random, [
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome}`,
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome}`,
    `Mozilla/5.0 (X11; Linux x86_64; rv:${firefox}.0) Gecko/20100101 Firefox/${firefox}.0`,
  ]);
}

function chromeVersion(random: Random): string {
  return `${between(random, 110, 140)}.0.${between(random, 5_000, 7_300)}.${between(random, 10, 220)}`;
}

const ANDROID_DEVICES = [
  'SM-S921B',
  'SM-A546E',
  'SM-G991U',
  'Pixel 7',
  'Pixel 8 Pro',
  'Pixel 9',
  'CPH2581',
  'V2307',
  '23127PN0CG',
  'moto g84 5G',
  'RMX3867',
  'XQ-DQ54',
];
const LANGUAGES = [
  'en-US,en;q=0.9',
  'en-GB,en;q=0.8',
  'de-DE,de;q=0.9,en;q=0.7',
  'fr-FR,fr;q=0.9',
  'es-MX,es;q=0.9,en;q=0.6',
  'pt-BR,pt;q=0.9',
  'ja-JP,ja;q=0.9',
  'hi-IN,hi;q=0.9,en-IN;q=0.8',
];
