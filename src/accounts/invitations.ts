import { findApp, lockApp } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf, findRole, hashToken, mayAct, type Role } from '../auth/index.ts';
import { type InvitationsTable, isUniqueViolation, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { makeSecret } from '../lib/secrets.ts';
import { normaliseEmail, TOKEN_MS, type UserRow } from './account.ts';
import { type Exchange, turnOf } from './attempts.ts';
import { mayStillInvite } from './authors.ts';
import { invitationMail } from './invitation-mail.ts';
import * as memberships from './membership-queries.ts';
import { findUserByEmail, insertUser, lockUser, proveEmail } from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

/**
 * Replaces an invitation of the same address. The mail has a token of its own: only who reads the mail proves the address.
 * @returns the address to open, this once, and whether it was mailed.
 * @throws AppError `user.already_member`.
 */
export async function invite(
  { db, clock, ids, config, mailer }: Pick<AccountDeps, 'db' | 'clock' | 'ids' | 'config' | 'mailer'>,
  { actor, email, role }: { actor: Actor; email: string; role: Role },
): Promise<{ row: InvitationsTable; url: string; mailed: boolean }> {
  const [token, mailedToken] = [makeSecret(), makeSecret()];
  const nowMs = clock.nowMs();
  const row: InvitationsTable = {
    app_id: actor.appId,
    id: ids.next(),
    email: normaliseEmail(email),
    role,
    token_hash: hashToken(token),
    mailed_token_hash: mailer === null ? null : hashToken(mailedToken),
    made_by: actor.user?.id ?? null,
    created_at: isoTime(nowMs),
  };
  const appName = await db.transaction().execute(async (tx) => {
    const user = await findUserByEmail(tx, row.email);
    if (user !== undefined && (await findRole(tx, actor.appId, user.id)) !== null)
      throw new AppError('user.already_member');
    await memberships.upsertInvitation(tx, row);
    const change = {
      appId: actor.appId,
      recordId: row.id,
      sandbox: 0,
      about: { email: row.email, role },
    } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.invited', by: authorOf(actor) });
    return (await findApp(tx, actor.appId))?.name ?? '';
  });
  const addressOf = (secret: string) => `${config.publicUrl}/console/invitation#${secret}`;
  const inviter = actor.user?.email ?? 'An owner';
  const [to, url] = [row.email, addressOf(mailedToken)];
  const mail = { to, appName, inviter, url, endsAtMs: nowMs + TOKEN_MS };
  return { row, url: addressOf(token), mailed: (await mailer?.send(invitationMail(mail))) ?? false };
}

/** @throws AppError `invitation.not_found`. */
export async function revokeInvitation(
  { db, clock, ids }: Pick<AccountDeps, 'db' | 'clock' | 'ids'>,
  { actor, invitationId }: { actor: Actor; invitationId: string },
): Promise<void> {
  if (!isUuid(invitationId)) throw new AppError('invitation.not_found');
  const id = invitationId.toLowerCase();
  await db.transaction().execute(async (tx) => {
    const email = await memberships.deleteInvitation(tx, actor.appId, id);
    if (email === null) throw new AppError('invitation.not_found');
    const change = { appId: actor.appId, recordId: id, sandbox: 0, about: { email } } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'invitation.revoked', by: authorOf(actor) });
  });
}

interface AcceptInput {
  readonly token: string;
  readonly name?: string;
  readonly password?: string;
}

/**
 * Joins the app of an invitation, as the user who is signed in or as a new one.
 * @throws AppError `invitation.not_found`, `invitation.other_email`, `invitation.sign_in_first`, `request.invalid`.
 */
export async function acceptInvitation(
  deps: AccountDeps,
  exchange: Exchange,
  { user, ...input }: AcceptInput & { user: UserRow | null },
): Promise<UserRow> {
  const { db, clock } = deps;
  const madeAfter = isoTime(clock.nowMs() - TOKEN_MS);
  const tokenHash = hashToken(input.token);
  const invitation = await memberships.findInvitation(db, tokenHash, madeAfter);
  if (invitation === undefined || !(await mayStillInvite(db, invitation)))
    throw new AppError('invitation.not_found');
  if (user !== null && user.email !== invitation.email) throw new AppError('invitation.other_email');
  const joining = user ?? (await newUser(deps, exchange, { ...input, email: invitation.email }));
  await db
    .transaction()
    .execute(async (tx) => {
      if (user === null) await insertUser(tx, joining);
      if (!(await join(tx, deps, joining, invitation))) throw new AppError('invitation.not_found');
      if (invitation.mailed_token_hash === tokenHash)
        await proveEmail(tx, joining.id, isoTime(clock.nowMs()));
    })
    .catch((error: unknown) => {
      throw isUniqueViolation(error) ? new AppError('invitation.sign_in_first') : error;
    });
  return joining;
}

async function newUser(
  { db, clock, ids, passwords }: AccountDeps,
  exchange: Exchange,
  { email, name, password }: AcceptInput & { email: string },
): Promise<UserRow> {
  if ((await findUserByEmail(db, email)) !== undefined) throw new AppError('invitation.sign_in_first');
  if (name === undefined || password === undefined)
    throw new AppError('request.invalid', {
      message: 'A new user needs name and password. Send both, or sign in before.',
    });
  return {
    id: ids.next(),
    email,
    name,
    password_hash: await passwords.hash(password, turnOf(exchange, email)),
    oidc_subject: null,
    is_operator: 0,
    email_proven_at: null,
    created_at: isoTime(clock.nowMs()),
    last_used_at: null,
  };
}

/**
 * Consumes the invitation. A member keeps the higher role, so that no owner becomes less by an invitation.
 * @returns false if it does not count any more, or the user was deleted meanwhile.
 */
export async function join(
  tx: Transaction,
  { clock, ids }: Pick<AccountDeps, 'clock' | 'ids'>,
  user: UserRow,
  invitation: InvitationsTable,
): Promise<boolean> {
  const { app_id: appId, id, role: invitedRole } = invitation;
  // Before the author's role is read: nobody demotes the author until the commit.
  await lockApp(tx, appId);
  if (!(await lockUser(tx, user.id)) || !(await mayStillInvite(tx, invitation))) return false;
  if ((await memberships.deleteInvitation(tx, appId, id)) === null) return false;
  const present = await findRole(tx, appId, user.id);
  const role = present !== null && mayAct(present, invitedRole as Role) ? present : invitedRole;
  const created_at = isoTime(clock.nowMs());
  await memberships.upsertMembership(tx, { app_id: appId, user_id: user.id, role, created_at });
  const about = { email: user.email, role };
  const change = { appId, recordId: user.id, sandbox: 0, about } as const;
  await recordChange(tx, { clock, ids }, { ...change, action: 'user.joined', by: { user } });
  return true;
}
