/** Time zones, languages, phones and address ranges by place. Shares are rough; their skew matters. */

export type PlaceName =
  | 'unitedStates'
  | 'newYork'
  | 'britain'
  | 'germany'
  | 'france'
  | 'india'
  | 'vietnam'
  | 'brazil'
  | 'japan'
  | 'taiwan';

export interface Language {
  /** The first tag in `Accept-Language`. */
  readonly tag: string;
  /** Further tags. */
  readonly more: readonly string[];
  readonly weight: number;
}

export interface Zone {
  readonly name: string;
  /** Ahead of UTC in March. */
  readonly offsetHours: number;
  readonly weight: number;
}

export interface Place {
  readonly zones: readonly Zone[];
  readonly languages: readonly Language[];
  readonly iphoneShare: number;
  /** Weights of Android manufacturers. */
  readonly makers: Readonly<Record<string, number>>;
  /** First bytes of IPv4 addresses. */
  readonly ipv4: readonly number[];
  /** First two groups of IPv6 addresses. */
  readonly ipv6: string;
  /** Weights of the carriers. */
  readonly carriers: readonly number[];
}

const english = (tag: string, weight: number): Language => ({ tag, more: ['en'], weight });
const WEST = { samsung: 0.5, google: 0.14, xiaomi: 0.2, motorola: 0.09, oneplus: 0.07 };
const STATES: Place = {
  zones: [
    { name: 'America/New_York', offsetHours: -5, weight: 0.47 },
    { name: 'America/Chicago', offsetHours: -6, weight: 0.29 },
    { name: 'America/Los_Angeles', offsetHours: -8, weight: 0.17 },
    { name: 'America/Denver', offsetHours: -7, weight: 0.05 },
    { name: 'America/Phoenix', offsetHours: -7, weight: 0.02 },
  ],
  languages: [
    english('en-US', 0.86),
    { tag: 'es-US', more: ['es', 'en-US'], weight: 0.07 },
    { tag: 'es-MX', more: ['es', 'en-US'], weight: 0.03 },
    { tag: 'zh-CN', more: ['zh', 'en-US'], weight: 0.02 },
    english('en-GB', 0.02),
  ],
  iphoneShare: 0.58,
  makers: { samsung: 0.55, google: 0.17, motorola: 0.2, oneplus: 0.05, xiaomi: 0.03 },
  ipv4: [24, 67, 68, 71, 73, 76, 98, 107, 174],
  ipv6: '2600:1700',
  carriers: [0.38, 0.33, 0.29],
};

export const PLACES: Readonly<Record<PlaceName, Place>> = {
  unitedStates: STATES,
  newYork: {
    ...STATES,
    zones: STATES.zones.slice(0, 1),
    languages: [
      english('en-US', 0.8),
      { tag: 'es-US', more: ['es', 'en-US'], weight: 0.1 },
      { tag: 'zh-CN', more: ['zh', 'en-US'], weight: 0.06 },
      { tag: 'ru-RU', more: ['ru', 'en-US'], weight: 0.04 },
    ],
    ipv4: [69, 72, 74, 108],
    ipv6: '2604:2000',
  },
  britain: {
    zones: [{ name: 'Europe/London', offsetHours: 0, weight: 1 }],
    languages: [
      english('en-GB', 0.88),
      { tag: 'en-US', more: ['en'], weight: 0.08 },
      { tag: 'pl-PL', more: ['pl', 'en-GB', 'en'], weight: 0.04 },
    ],
    iphoneShare: 0.51,
    makers: WEST,
    ipv4: [2, 31, 51, 81, 82, 86],
    ipv6: '2a00:23c4',
    carriers: [0.3, 0.28, 0.24, 0.18],
  },
  germany: {
    zones: [{ name: 'Europe/Berlin', offsetHours: 1, weight: 1 }],
    languages: [
      { tag: 'de-DE', more: ['de', 'en-US', 'en'], weight: 0.84 },
      { tag: 'en-US', more: ['en', 'de'], weight: 0.06 },
      { tag: 'tr-TR', more: ['tr', 'de'], weight: 0.04 },
      { tag: 'en-GB', more: ['en', 'de'], weight: 0.04 },
      { tag: 'uk-UA', more: ['uk', 'ru', 'de'], weight: 0.02 },
    ],
    iphoneShare: 0.39,
    makers: WEST,
    ipv4: [79, 84, 87, 91, 93, 217],
    ipv6: '2003:00c1',
    carriers: [0.4, 0.34, 0.26],
  },
  france: {
    zones: [{ name: 'Europe/Paris', offsetHours: 1, weight: 1 }],
    languages: [
      { tag: 'fr-FR', more: ['fr', 'en-US', 'en'], weight: 0.92 },
      { tag: 'en-GB', more: ['en', 'fr'], weight: 0.05 },
      { tag: 'pt-PT', more: ['pt', 'fr'], weight: 0.03 },
    ],
    iphoneShare: 0.36,
    makers: WEST,
    ipv4: [78, 80, 90, 92],
    ipv6: '2a01:0e0a',
    carriers: [0.36, 0.26, 0.2, 0.18],
  },
  india: {
    zones: [{ name: 'Asia/Kolkata', offsetHours: 5.5, weight: 1 }],
    languages: [
      { tag: 'en-IN', more: ['en'], weight: 0.5 },
      { tag: 'en-US', more: ['en'], weight: 0.22 },
      { tag: 'hi-IN', more: ['hi', 'en-IN', 'en'], weight: 0.17 },
      { tag: 'ta-IN', more: ['ta', 'en-IN', 'en'], weight: 0.06 },
      { tag: 'en-GB', more: ['en'], weight: 0.05 },
    ],
    iphoneShare: 0.05,
    makers: { xiaomi: 0.26, vivo: 0.24, samsung: 0.2, realme: 0.16, oneplus: 0.08, motorola: 0.06 },
    ipv4: [49, 106, 117, 152, 157],
    ipv6: '2409:4072',
    carriers: [0.42, 0.36, 0.17, 0.05],
  },
  vietnam: {
    zones: [{ name: 'Asia/Ho_Chi_Minh', offsetHours: 7, weight: 1 }],
    languages: [
      { tag: 'vi-VN', more: ['vi', 'fr-FR', 'en-US'], weight: 0.88 },
      { tag: 'en-US', more: ['en', 'vi'], weight: 0.12 },
    ],
    iphoneShare: 0.37,
    makers: { samsung: 0.42, xiaomi: 0.26, vivo: 0.2, realme: 0.12 },
    ipv4: [14, 27, 113, 171],
    ipv6: '2402:0800',
    carriers: [0.5, 0.3, 0.2],
  },
  brazil: {
    zones: [
      { name: 'America/Sao_Paulo', offsetHours: -3, weight: 0.9 },
      { name: 'America/Manaus', offsetHours: -4, weight: 0.1 },
    ],
    languages: [
      { tag: 'pt-BR', more: ['pt', 'en-US', 'en'], weight: 0.95 },
      { tag: 'en-US', more: ['en', 'pt-BR'], weight: 0.05 },
    ],
    iphoneShare: 0.18,
    makers: { samsung: 0.46, motorola: 0.3, xiaomi: 0.2, realme: 0.04 },
    ipv4: [177, 179, 187, 189, 191],
    ipv6: '2804:014c',
    carriers: [0.39, 0.33, 0.28],
  },
  japan: {
    zones: [{ name: 'Asia/Tokyo', offsetHours: 9, weight: 1 }],
    languages: [
      { tag: 'ja-JP', more: ['ja', 'en-US', 'en'], weight: 0.97 },
      { tag: 'en-US', more: ['en', 'ja'], weight: 0.03 },
    ],
    iphoneShare: 0.6,
    makers: { google: 0.3, samsung: 0.25, xiaomi: 0.25, motorola: 0.2 },
    ipv4: [60, 111, 118, 126, 133],
    ipv6: '2400:4050',
    carriers: [0.4, 0.31, 0.22, 0.07],
  },
  taiwan: {
    zones: [{ name: 'Asia/Taipei', offsetHours: 8, weight: 1 }],
    languages: [
      { tag: 'zh-TW', more: ['zh', 'en-US', 'en'], weight: 0.96 },
      { tag: 'en-US', more: ['en', 'zh-TW'], weight: 0.04 },
    ],
    iphoneShare: 0.52,
    makers: { samsung: 0.5, google: 0.1, xiaomi: 0.25, oneplus: 0.15 },
    ipv4: [36, 61, 114, 220],
    ipv6: '2001:b011',
    carriers: [0.45, 0.3, 0.25],
  },
};
