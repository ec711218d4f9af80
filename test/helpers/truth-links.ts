/** Links with rules and their visitors, made by chance of few values, so that many meet. */
import { Random } from '../../src/commands/traffic/random.ts';
import { DESKTOP, IPHONE, PIXEL } from './callers.ts';

export type Platform = 'IOS' | 'ANDROID' | 'OTHER';
export type Fields = Record<string, unknown>;
export interface Rule {
  readonly name: string;
  readonly when: Fields;
  readonly then: Fields;
}
export interface TruthLink extends Fields {
  readonly fallbackUrl: string;
  readonly deepLinkPath: string;
  readonly deepLinkParams: Fields;
  readonly rules: readonly Rule[];
  readonly passQuery: readonly string[];
}
export interface Visitor {
  readonly platform: Platform;
  readonly userAgent: string;
  /** Null if it is unknown. */
  readonly version: string | null;
  readonly headers: Record<string, string>;
  readonly language: string | null;
  readonly from: string;
  readonly country: string | null;
  readonly query: readonly (readonly [string, string])[];
  readonly rest: string;
}

export const MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 Safari/605.1.15';
export const SLACK = 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)';
const GALAXY =
  'Mozilla/5.0 (Linux; Android 14; SM-S911B) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.6099.43 Mobile Safari/537.36';
const HINTS = { 'sec-ch-ua': '"Chromium";v="141"', 'sec-ch-ua-platform-version': '"15.0.0"' };
const BROWSERS = [
  { platform: 'IOS', userAgent: IPHONE, version: '17.5.1', headers: {} },
  { platform: 'ANDROID', userAgent: PIXEL, version: null, headers: {} },
  { platform: 'ANDROID', userAgent: PIXEL, version: '15.0.0', headers: HINTS },
  { platform: 'ANDROID', userAgent: GALAXY, version: '14', headers: {} },
  { platform: 'OTHER', userAgent: DESKTOP, version: null, headers: {} },
  { platform: 'OTHER', userAgent: MAC, version: null, headers: {} },
  { platform: 'OTHER', userAgent: SLACK, version: null, headers: {} },
] as const;
const LANGUAGES = [
  [null, {}],
  ['de-AT', { 'accept-language': 'de-AT,de;q=0.9,en;q=0.8' }],
  ['fr-CA', { 'accept-language': 'en;q=0.5, fr-CA;q=0.7, *;q=0.9' }],
  ['pt-BR', { 'accept-language': 'pt-BR' }],
] as const;
const PLACES = [
  ['8.8.8.8', 'US'],
  ['217.0.0.1', 'DE'],
  ['192.0.2.1', null],
] as const;
const QUERIES: readonly (readonly (readonly [string, string])[])[] = [
  [],
  [['utm_source', 'poster']],
  [
    ['utm_source', 'a&b=c#d'],
    ['coupon', 'javascript:alert(1)'],
    ['own', 'theirs'],
  ],
  [
    ['coupon', '"><script>'],
    ['__proto__', 'x'],
    ['constructor', 'y'],
    ['utm_term', 'größe %41'],
  ],
];
const RESTS = ['', 'shoes', 'größe/42', 'a%b c', 'q?x=1#y'];
const STORE = 'https://apps.apple.com/app/id';
const PHONE_PAGE = 'https://m.shop.example/get/?own=1#phones';
const PLAY = 'https://play.google.com/store/apps/details?id=';

/** Makes links and visitors by chance, the same for the same seed. */
export class TruthMaker {
  readonly random: Random;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  #pick<T>(values: readonly T[]): T {
    return values[this.random.between(0, values.length - 1)] as T;
  }

  #some(fields: Fields, share = 0.5): Fields {
    return Object.fromEntries(Object.entries(fields).filter(() => this.random.next() < share));
  }

  link(): TruthLink {
    const rules = Array.from({ length: this.random.between(0, 5) }, (_, place) => this.#rule(place));
    return {
      fallbackUrl: this.#pick([
        ...[
          'https://shop.example/a/?own=1&x=%20y#part',
          'http://shop.example:8443',
          'https://bücher.example/ä',
        ],
        'https://shop.example/list?',
      ]),
      deepLinkPath: this.#pick(['/', '/products', '/products/?own=1', 'shoes#top']),
      deepLinkParams: this.#pick<Fields>([{}, { own: 1, utm_source: 'link' }, { list: [1, { a: null }] }]),
      passQuery: this.#pick([['utm_*'], ['*'], ['coupon', 'utm_*'], []]),
      passPath: this.random.next() < 0.5,
      rules,
      ...this.#some({
        campaignId: 'own-campaign',
        iosDestination: this.#pick([`${STORE}1`, 'itms-apps://apps.apple.com/app/id1', PHONE_PAGE]),
        androidDestination: this.#pick([`${PLAY}com.own`, 'market://details?id=com.own', PHONE_PAGE]),
        minAppVersion: { ios: '4.2' },
        landingPage: 'never',
        expiredUrl: 'https://shop.example/over?own=1',
      }),
    };
  }

  /** At the root of an app's own host. */
  path(): string {
    return this.#pick(['summer', 'summer/sale', 'a.b/c_d/e~f/G-h/5', 'l2']);
  }

  #rule(place: number): Rule {
    const when = this.#some(
      {
        platform: this.#pick(['IOS', 'ANDROID', 'OTHER']),
        osVersion: this.#pick<Fields>([{ min: '15' }, { max: '17' }, { min: '17.5', max: '18' }]),
        language: this.#pick<string | string[]>(['de', ['fr', 'pt-BR'], 'pt-PT']),
        country: this.#pick<string | string[]>(['US', ['DE', 'AT']]),
        query: this.#pick<Fields>([{ utm_source: null }, { coupon: 'javascript:alert(1)' }]),
        from: this.#pick(['2020-01-01T00:00:00Z', '2099-01-01T00:00:00Z']),
        percent: this.#pick([0, 30, 70, 100]),
      },
      0.22,
    );
    const then = this.#some({
      iosDestination: this.#pick([`${STORE}${place + 10}`, `https://rule${place}.example/ios`]),
      androidDestination: this.#pick([
        `${PLAY}com.rule${place}`,
        `https://rule${place}.example/android?own=1`,
      ]),
      fallbackUrl: `https://rule${place}.example/x?own=${place}`,
      deepLinkPath: `/rule/${place}`,
      deepLinkParams: { rule: place, own: 2 },
    });
    return { name: `r${place}`, when, then: { ...then, campaignId: `rule-${place}` } };
  }

  visitor(link: TruthLink): Visitor {
    const [language, headers] = this.#pick(LANGUAGES);
    const [from, country] = this.#pick(PLACES);
    const browser = this.#pick(BROWSERS);
    return {
      ...browser,
      ...{ language, from, country, headers: { ...headers, ...browser.headers, accept: 'text/html' } },
      ...{ query: this.#pick(QUERIES), rest: link.passPath === true ? this.#pick(RESTS) : '' },
    };
  }
}
