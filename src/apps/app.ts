import { hash } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { AppsTable } from '../db/index.ts';
import { checkWebAddress } from '../lib/web-address.ts';

export type AppRow = Selectable<AppsTable>;

/** From click to install, in hours. */
export const WINDOW_DEFAULT_HOURS = { referrer: 168, clickId: 168, fingerprint: 24 } as const;
export const WINDOW_MAX_HOURS = { referrer: 2_160, clickId: 2_160, fingerprint: 72 } as const;

/** Least probability of a fingerprint match, in hundredths. */
export const THRESHOLD_PERCENT = { default: 70, min: 50, max: 99 } as const;

/** Per app and UTC day; bytes of names, user ids and properties. */
export const DAILY_EVENT_DEFAULTS = { limit: 10_000_000, bytes: 10_000_000_000 } as const;

/** Whether phones get a page before the store; `auto` where it improves matching. A link may override it. */
export const LANDING_PAGES = ['auto', 'always', 'never'] as const;
export type LandingPage = (typeof LANDING_PAGES)[number];

/** What is stored of the value that RevenueCat sends as `Authorization`. */
export function revenuecatKeyOf(authorization: string): string {
  return hash('sha256', authorization, 'base64url');
}

/** Schemes of the store apps. */
const STORE_SCHEMES = ['market:', 'itms-apps:'];

/** Destinations of a link; an app has the same fields as defaults for its links. */
export interface Destinations {
  readonly iosDestination?: string | null;
  readonly androidDestination?: string | null;
  readonly fallbackUrl?: string | null;
}

/** @throws AppError `request.invalid` that names the field with an invalid address. */
export function checkDestinations(input: Destinations, place = ''): void {
  checkWebAddress(`${place}iosDestination`, input.iosDestination, STORE_SCHEMES);
  checkWebAddress(`${place}androidDestination`, input.androidDestination, STORE_SCHEMES);
  checkWebAddress(`${place}fallbackUrl`, input.fallbackUrl);
}
