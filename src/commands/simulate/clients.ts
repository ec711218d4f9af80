/** The clients of a simulation: devices of the synthetic traffic, and machines. */
import { type Browser, buildClickContent } from '../traffic/browsers.ts';
import { buildAndroid, buildApple, type Phone } from '../traffic/phones.ts';
import type { Place } from '../traffic/places.ts';
import type { Random } from '../traffic/random.ts';
import { fingerprint, type Release } from '../traffic/sdk.ts';
import type { Fingerprint, Signals } from '../traffic/touches.ts';

export interface Client {
  readonly label: ClientName;
  readonly userAgent: string;
  readonly acceptLanguage: string | null;
  /** What the landing page's script reports; null for machines. */
  readonly signals: Signals | null;
  /**
   * Expected response to a tap: a landing page for iPhones and in-app browsers, a preview card for chat bots; for a computer
   * a redirect, or a page if it may be a tablet that asks for desktop pages.
   */
  readonly expects: 'redirect' | 'page' | 'card' | 'redirect or page';
  /** As the app's SDK reports it; null for a client that cannot install an app. */
  readonly phone: Omit<Fingerprint, 'ipAddress'> | null;
}

interface Device {
  /** Null for a computer. */
  readonly platform: Phone['platform'] | null;
  readonly browser: Browser;
  readonly expects: Client['expects'];
}

const DEVICES = {
  'iPhone, Safari': { platform: 'IOS', browser: 'safari', expects: 'page' },
  'iPhone, Instagram': { platform: 'IOS', browser: 'instagram', expects: 'page' },
  'Android, Chrome': { platform: 'ANDROID', browser: 'chrome', expects: 'redirect' },
  'Android, Instagram': { platform: 'ANDROID', browser: 'instagram', expects: 'page' },
  /** Is sent to the fallback URL. */
  desktop: { platform: null, browser: 'computer', expects: 'redirect or page' },
} as const satisfies Record<string, Device>;

const MACHINES = {
  /** Fetches a preview card; its click cannot be claimed. */
  'preview bot': { userAgent: 'WhatsApp/2.26.7.74 A', expects: 'card' },
  /** A tool: its clicks could be claimed, but are not here. */
  curl: { userAgent: 'curl/8.14.1', expects: 'redirect' },
} as const;

export type ClientName = keyof typeof DEVICES | keyof typeof MACHINES;

export function buildClient(random: Random, label: ClientName, place: Place, release: Release): Client {
  if (label === 'preview bot' || label === 'curl')
    return { label, ...MACHINES[label], acceptLanguage: null, signals: null, phone: null };
  const { platform, browser, expects } = DEVICES[label];
  const language = random.weighted(place.languages);
  const owner = {
    phone: platform === 'IOS' ? buildApple(random, false) : buildAndroid(random, place),
    zone: random.weighted(place.zones),
    language,
    browserLanguage: language,
  };
  const content = buildClickContent(random, owner, browser, { pageShare: 1 });
  const phone = platform && fingerprint(random, owner, release, { missingShare: 0 });
  return { label, expects, ...content, phone };
}
