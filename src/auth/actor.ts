import type { ActingUser, AdminToken, ChangedBy } from '../audit/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import { hasApp } from './queries.ts';

/** Roles of a user in an app; each includes the ones before. */
export const ROLES = ['viewer', 'editor', 'owner'] as const;
export type Role = (typeof ROLES)[number];

/** The caller: by its API key, or a user by the session. */
export interface Actor {
  readonly appId: string;
  /** The caller of rate limits: the ID of the key or of the user, or the admin token. */
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

/** The holder of the admin token, or an operator by the session. */
export type Operator = AdminToken | { readonly user: ActingUser };

/** `User-Agent` of the command line, which calls the admin API with the admin token. */
export const COMMAND_LINE_AGENT = 'throughline-command-line';

/** The author of the actor's changes, for the audit log. */
export function authorOf({ keyId, user }: Actor): ChangedBy {
  if (user !== undefined) return { user };
  return keyId === 'admin' || keyId === 'command_line' ? keyId : { keyId };
}

/** The operator acts as an app's live key. @throws AppError `app.not_found`. */
export async function operatorOf(db: Db, appId: string, operator: Operator): Promise<Actor> {
  const caller =
    typeof operator === 'string' ? { keyId: operator } : { keyId: operator.user.id, ...operator };
  return { appId: await existingAppId(db, appId), ...caller, mode: 'live', publishable: false };
}

/** In lower case. @throws AppError `app.not_found`. */
export async function existingAppId(db: Db, appId: string): Promise<string> {
  const id = appId.toLowerCase();
  if (!isUuid(appId) || !(await hasApp(db, id))) throw new AppError('app.not_found');
  return id;
}
