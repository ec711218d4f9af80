import type { ActingUser } from '../audit/index.ts';

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

export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
