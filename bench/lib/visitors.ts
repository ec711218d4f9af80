/** Deterministic visitors with addresses, devices and languages, and the taps that they send. */
import { ANDROIDS } from '../../src/commands/traffic/models.ts';
import { PLACES } from '../../src/commands/traffic/places.ts';
import { Random } from '../../src/commands/traffic/random.ts';
import { requestText } from './http-messages.ts';

/** Links of every service in a bench. */
export const LINKS = 48;
/** Links for taps beyond the link cache. */
export const MANY_LINKS = 10_000;
const ADDRESSES = 40_000;
const USER_AGENTS = 4_000;
const TAPS = 60_000;
const LANGUAGES = Object.values(PLACES).flatMap(({ languages }) => languages);
const HTML = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

export function shortCode(link: number): string {
  return `bench-${String(link).padStart(2, '0')}`;
}

/** Programs get redirects, of few links or of many; browsers on iPhones get the landing page. */
export type TapKind = 'redirects' | 'redirectsOfMany' | 'pages';

export function linkCount(kind: TapKind): number {
  return kind === 'redirectsOfMany' ? MANY_LINKS : LINKS;
}

/** Requests as bytes for a socket. */
export function buildTaps(kind: TapKind): Buffer[] {
  const random = new Random(20_260_901);
  const isForPages = kind === 'pages';
  const links = linkCount(kind);
  const userAgents = Array.from({ length: USER_AGENTS }, () => (isForPages ? iphone : userAgent)(random));
  const addresses = Array.from({ length: ADDRESSES }, () => address(random));
  return Array.from({ length: TAPS }, () =>
    Buffer.from(
      requestText('GET', `/l/${shortCode(random.between(0, links - 1))}`, {
        'X-Forwarded-For': random.pick(addresses),
        'User-Agent': random.pick(userAgents),
        Accept: isForPages ? HTML : '*/*',
        'Accept-Language': acceptLanguage(random),
        'Accept-Encoding': 'gzip, deflate, br',
      }),
    ),
  );
}

export interface Visitor {
  readonly address: string;
  readonly userAgent: string;
  readonly acceptLanguage: string;
}

/** Visitors with one address each. */
export function buildVisitors(count: number, seed: number, device: 'any' | 'android' = 'any'): Visitor[] {
  const random = new Random(seed);
  return Array.from({ length: count }, () => ({
    address: address(random),
    userAgent: device === 'android' ? android(random) : userAgent(random),
    acceptLanguage: acceptLanguage(random),
  }));
}

/** As the SDK on an Android visitor's phone reports it. */
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

/** One in five visitors uses IPv6. */
function address(random: Random): string {
  const byte = () => random.between(1, 254);
  const group = () => random.between(1, 0xffff).toString(16);
  if (random.chance(0.2)) return `2001:db8:${group()}:${group()}:${group()}:${group()}:${group()}:${group()}`;
  return `${random.between(11, 99)}.${byte()}.${byte()}.${byte()}`;
}

function acceptLanguage(random: Random): string {
  const { tag } = random.weighted(LANGUAGES);
  return `${tag},${tag.slice(0, 2)};q=0.9`;
}

function userAgent(random: Random): string {
  const device = random.key({ iphone: 0.5, android: 0.38, desktop: 0.12 });
  return { iphone, android, desktop }[device](random);
}

function iphone(random: Random): string {
  const [major, minor, patch] = [random.between(15, 18), random.between(0, 7), random.between(0, 3)];
  const device = `Mozilla/5.0 (iPhone; CPU iPhone OS ${major}_${minor}_${patch} like Mac OS X)`;
  const engine = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
  const build = `Mobile/${random.between(15, 22)}${random.pick(['A', 'E', 'F', 'G'])}${random.between(100, 399)}`;
  const browser = random.pick([
    `Version/${major}.${minor} Mobile/15E148 Safari/604.1`,
    `Version/${major}.${minor} Mobile/15E148 Safari/604.1`,
    `CriOS/${chromeVersion(random)} Mobile/15E148 Safari/604.1`,
    `${build} Instagram ${random.between(290, 350)}.0.0.${random.between(10, 60)}.${random.between(60, 120)}`,
  ]);
  return `${device} ${engine} ${browser}`;
}

function android(random: Random): string {
  const os = `Android ${random.between(10, 16)}`;
  const [, device] = random.pick(ANDROIDS).is;
  const build = `Build/${random.pick(['UP1A', 'TQ3A', 'AP3A', 'BP1A'])}.${random.between(230_101, 251_231)}.${random.between(1, 40)}`;
  const mobile = `Chrome/${chromeVersion(random)} Mobile Safari/537.36`;
  return `Mozilla/5.0 (Linux; ${os}; ${device} ${build}) AppleWebKit/537.36 (KHTML, like Gecko) ${mobile}`;
}

function desktop(random: Random): string {
  const chrome = `AppleWebKit/537.36 (KHTML, like Gecko) Chrome/${chromeVersion(random)} Safari/537.36`;
  const firefox = random.between(110, 140);
  return random.pick([
    `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${chrome}`,
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${chrome}`,
    `Mozilla/5.0 (X11; Linux x86_64; rv:${firefox}.0) Gecko/20100101 Firefox/${firefox}.0`,
  ]);
}

function chromeVersion(random: Random): string {
  return `${random.between(110, 140)}.0.${random.between(5_000, 7_300)}.${random.between(10, 220)}`;
}
