import type { Transaction } from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';
import { truncate } from '../lib/text.ts';
import { normaliseEmail, TOKEN_MS, type UserRow } from './account.ts';
import { join } from './invitations.ts';
import { listInvitationsOfEmail } from './membership-queries.ts';
import type { Identity } from './oidc.ts';
import { deleteSessions, findUserByEmail, findUserBySubject, insertUser, updateUser } from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

/** Why a sign-in by OpenID Connect is refused; the console gets it in `?error=`. */
export type OidcRefusal =
  | 'oidc.failed'
  | 'oidc.foreign_domain'
  | 'oidc.unverified_email'
  | 'oidc.unknown_user';

const MAX_NAME_CHARACTERS = 255;

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
    const known = (await findUserBySubject(tx, identity.subject)) ?? (await linkByEmail(tx, email, identity));
    return known ?? (await joinAsNew(tx, deps, { email, identity, isAllowed }));
  });
}

/**
 * The provider is the first to prove the address: an invitation's first reader, its author too, may have chosen the
 * password and be signed in. Undefined if no user has this email.
 */
async function linkByEmail(
  tx: Transaction,
  email: string,
  { subject }: Identity,
): Promise<UserRow | OidcRefusal | undefined> {
  const user = await findUserByEmail(tx, email);
  if (user === undefined) return undefined;
  // The provider has given the address to another person.
  if (user.oidc_subject !== null && issuerOf(user.oidc_subject) === issuerOf(subject))
    return 'oidc.unknown_user';
  const changes = { oidc_subject: subject, password_hash: null };
  await updateUser(tx, user.id, changes);
  await deleteSessions(tx, user.id, null);
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
  const invitations = await listInvitationsOfEmail(tx, email, isoTime(nowMs - TOKEN_MS));
  if (!isAllowed && invitations.length === 0) return 'oidc.unknown_user';
  const user: UserRow = {
    id: ids.next(),
    email,
    name: truncate(identity.name ?? email, MAX_NAME_CHARACTERS),
    password_hash: null,
    oidc_subject: identity.subject,
    is_operator: 0,
    created_at: isoTime(nowMs),
    last_used_at: null,
  };
  await insertUser(tx, user);
  for (const invitation of invitations) await join(tx, { clock, ids }, user, invitation);
  return user;
}
