import type { AppsTable } from '../platform/db/index.ts';

export type AppRow = AppsTable;

/** How long after a click an install may still be attributed to it, in hours; per app. */
export const WINDOW_DEFAULT_HOURS = { referrer: 168, clickId: 168, fingerprint: 24 } as const;
/** The longest that an app may choose: 90 days, and 3 for the fingerprint. */
export const WINDOW_MAX_HOURS = { referrer: 2_160, clickId: 2_160, fingerprint: 72 } as const;

/** Events of an app and UTC day, and the bytes of their names, user IDs and properties; for apps without bounds of their own. */
export const DAILY_EVENT_DEFAULTS = { limit: 10_000_000, bytes: 10_000_000_000 } as const;

/** Whether visitors on phones see a page before the store: where it helps, always or never. Links may say otherwise. */
export const LANDING_PAGES = ['auto', 'always', 'never'] as const;
export type LandingPage = (typeof LANDING_PAGES)[number];

/** Who is calling, by its API key. */
export interface Actor {
  readonly appId: string;
  readonly keyId: string;
  /** A test key is the sandbox: it sees and touches sandbox records only, and its SDK calls count as debug builds. */
  readonly mode: 'live' | 'test';
  readonly publishable: boolean;
}

/** Whether this caller may see a record. Another app's records are out of reach before this is asked. */
export function canSee(actor: Actor, record: { sandbox: number }): boolean {
  return actor.mode === 'live' || record.sandbox === 1;
}
