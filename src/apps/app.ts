import type { ActingUser } from '../audit/index.ts';
import type { AppsTable } from '../db/index.ts';

export type AppRow = AppsTable;

/** From click to install, in hours. */
export const WINDOW_DEFAULT_HOURS = { referrer: 168, clickId: 168, fingerprint: 24 } as const;
export const WINDOW_MAX_HOURS = { referrer: 2_160, clickId: 2_160, fingerprint: 72 } as const;

/** Per app and UTC day; bytes of names, user ids and properties. */
export const DAILY_EVENT_DEFAULTS = { limit: 10_000_000, bytes: 10_000_000_000 } as const;

/** Whether phones get a page before the store; `auto` where it improves matching. A link may override it. */
export const LANDING_PAGES = ['auto', 'always', 'never'] as const;
export type LandingPage = (typeof LANDING_PAGES)[number];

/** Roles of a user in an app; each includes the ones before. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The caller: by its API key, or a user by the session. */
export interface Actor {
  readonly appId: string;
  /** The caller of rate limits: the ID of the key or of the user. */
  readonly keyId: string;
  /** Set for the session of a user, which acts as the secret live key. */
  readonly user?: ActingUser;
  /** The user's role in the app; keys have none. */
  readonly role?: Role;
  /** A test key reads and writes sandbox records only, and its SDK calls count as debug builds. */
  readonly mode: 'live' | 'test';
  readonly publishable: boolean;
}

/** For records of the actor's own app. */
export function canSee(actor: Actor, record: { sandbox: number }): boolean {
  return actor.mode === 'live' || record.sandbox === 1;
}
