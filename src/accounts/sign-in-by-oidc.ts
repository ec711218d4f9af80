import { deleteSessions } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import { normaliseEmail, TOKEN_MS, toEmail, type UserRow } from './account.ts';
import { findManager } from './authors.ts';
import { join } from './invitations.ts';
import { listInvitationsOfEmail } from './membership-queries.ts';
import type { Identity } from './oidc.ts';
import {
  deletePasswordResets,
  findUserByEmail,
  findUserBySubject,
  insertUser,
  proveEmail,
  updateUser,
} from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

/** Why a sign-in by OpenID Connect is refused; the console gets it in `?error=`. */
export type OidcRefusal =
  | 'oidc.failed'
  | 'oidc.invalid_email'
  | 'oidc.foreign_domain'
  | 'oidc.unverified_email'
  | 'oidc.unknown_user';

/** The user of an identity: a known one, or a new one who is invited or of an allowed domain. */
export async function userOfIdentity(deps: AccountDeps, identity: Identity): Promise<UserRow | OidcRefusal> {
  const { db, config } = deps;
  // Anybody can claim an unverified address, and so take over its account.
  if (identity.email === null || !identity.isEmailVerified) return 'oidc.unverified_email';
  const email = normaliseEmail(identity.email);
  const allowedDomains = config.oidc?.allowedDomains ?? [];
  const isAllowed = allowedDomains.includes(email.slice(email.lastIndexOf('@') + 1));
  if (allowedDomains.length > 0 && !isAllowed) return 'oidc.foreign_domain';
  return await db.transaction().execute(async (tx) => {
    const now = isoTime(deps.clock.nowMs());
    const linked = await findUserBySubject(tx, identity.subject);
    if (linked !== undefined && linked.disabled_at !== null) return 'oidc.unknown_user';
    // The provider may know the user by another email by now.
    if (linked?.email === email) await proveEmail(tx, linked.id, now);
    // An account from before the rule of emails stays linked.
    if (linked === undefined && toEmail(email) === null) return 'oidc.invalid_email';
    const known = linked ?? (await linkByEmail(tx, { email, identity, now }));
    return known ?? (await joinAsNew(tx, deps, { email, identity, isAllowed }));
  });
}

/**
 * Where the provider is the first to prove the address, an invitation's first reader, its author too, may have chosen the
 * password and be signed in. Undefined if no user has this email.
 */
async function linkByEmail(
  tx: Transaction,
  { email, identity: { subject }, now }: { email: string; identity: Identity; now: string },
): Promise<UserRow | OidcRefusal | undefined> {
  const user = await findUserByEmail(tx, email);
  if (user === undefined) return undefined;
  if (user.disabled_at !== null) return 'oidc.unknown_user';
  // The provider has given the address to another person.
  if (user.oidc_subject !== null && issuerOf(user.oidc_subject) === issuerOf(subject))
    return 'oidc.unknown_user';
  const isProven = user.email_proven_at !== null;
  const changes = { oidc_subject: subject, ...(!isProven && { password_hash: null, email_proven_at: now }) };
  await updateUser(tx, user.id, changes);
  if (!isProven) {
    await deleteSessions(tx, user.id, null);
    // One that an operator made may be in the hands of that reader.
    await deletePasswordResets(tx, user.id);
  }
  return { ...user, ...changes };
}

function issuerOf(subject: string): string {
  return subject.split(' ', 1)[0] ?? '';
}

async function joinAsNew(
  tx: Transaction,
  { clock, ids }: AccountDeps,
  { email, identity, isAllowed }: { email: string; identity: Identity; isAllowed: boolean },
): Promise<UserRow | OidcRefusal> {
  const nowMs = clock.nowMs();
  const open = await listInvitationsOfEmail(tx, email, isoTime(nowMs - TOKEN_MS));
  const inviters = await Promise.all(open.map((one) => findManager(tx, one.app_id, one.made_by)));
  const invitations = open.filter((_, index) => inviters[index] !== null);
  if (!isAllowed && invitations.length === 0) return 'oidc.unknown_user';
  const user: UserRow = {
    id: ids.next(),
    email,
    name: identity.name ?? email,
    password_hash: null,
    oidc_subject: identity.subject,
    is_operator: 0,
    email_proven_at: isoTime(nowMs),
    created_at: isoTime(nowMs),
    last_used_at: null,
    disabled_at: null,
  };
  await insertUser(tx, user);
  for (const invitation of invitations) await join(tx, { clock, ids }, user, invitation);
  return user;
}
