import { hash } from 'node:crypto';
import { ROLES, type Role } from '../apps/index.ts';
import type { SessionsTable, UsersTable } from '../db/index.ts';
import { DAY_MS } from '../lib/clock.ts';

export type UserRow = UsersTable;

/** The user and session of a request with a session cookie. */
export interface SignedIn {
  readonly user: UserRow;
  readonly session: Pick<SessionsTable, 'id' | 'last_used_at'>;
}

/** A session ends after this time without use. */
export const SESSION_MS = 7 * DAY_MS;
/** Invitations, and addresses of the set-up. */
export const TOKEN_MS = 7 * DAY_MS;

/** The stored form of session, invitation and set-up tokens. A plain hash suffices: they have 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Addresses are stored and compared in lower case. */
export function normaliseEmail(email: string): string {
  return email.toLowerCase();
}

export function mayAct(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}
