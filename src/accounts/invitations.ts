import { findApp, lockApp } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import { type Actor, authorOf, findRole, hashToken, mayAct, type Role } from '../auth/index.ts';
import { type Db, type InvitationsTable, isUniqueViolation, type Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { HOUR_MS, isoTime, SECOND_MS } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { Mail } from '../lib/mail/mailer.ts';
import { makeSecret } from '../lib/secrets.ts';
import { normaliseEmail, TOKEN_MS, type UserRow } from './account.ts';
import { type Exchange, turnOf } from './attempts.ts';
import { findManager } from './authors.ts';
import { invitationMail } from './invitation-mail.ts';
import * as memberships from './membership-queries.ts';
import { findUserByEmail, insertUser, lockUser, proveEmail } from './queries.ts';
import type { AccountDeps } from './sign-in.ts';

const MAX_OPEN = 500;
/** Mails of invitations to an address, of all apps together: a member cannot fill a stranger's mailbox. */
const MAIL_LIMIT = { name: 'invitation-mails', points: 5, seconds: HOUR_MS / SECOND_MS, shared: true };

interface MadeInvitation {
  readonly row: InvitationsTable;
  readonly inviter: UserRow;
  /** To open, this once. */
  readonly url: string;
  readonly mailed: boolean;
}

/**
 * Replaces an invitation of the same address. The mail has a token of its own: only who reads the mail proves the address.
 * @throws AppError `user.already_member`, `invitation.too_many`, `role.too_low`.
 */
export async function invite(
  deps: AccountDeps,
  { actor, email, role }: { actor: Actor; email: string; role: Role },
): Promise<MadeInvitation> {
  const { db, clock, ids, config, mailer } = deps;
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
  const { appName, inviter } = await db.transaction().execute(async (tx) => {
    const inviter = await findManager(tx, row.app_id, row.made_by);
    if (inviter === null) throw new AppError('role.too_low');
    const user = await findUserByEmail(tx, row.email);
    if (user !== undefined && (await findRole(tx, actor.appId, user.id)) !== null)
      throw new AppError('user.already_member');
    const open = await memberships.countInvitations(tx, row, isoTime(nowMs - TOKEN_MS));
    if (open >= MAX_OPEN) throw new AppError('invitation.too_many');
    await memberships.upsertInvitation(tx, row);
    const change = {
      appId: actor.appId,
      recordId: row.id,
      sandbox: 0,
      about: { email: row.email, role },
    } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.invited', by: authorOf(actor) });
    return { appName: await nameOf(tx, actor.appId), inviter };
  });
  const addressOf = (secret: string) => `${config.publicUrl}/console/invitation#${secret}`;
  const [to, url] = [row.email, addressOf(mailedToken)];
  const endsAtMs = nowMs + TOKEN_MS;
  const mail = invitationMail({ to, appName, role, inviter: inviter.email, url, endsAtMs });
  return { row, inviter, url: addressOf(token), mailed: await sendMail(deps, mail) };
}

async function nameOf(db: Db, appId: string): Promise<string> {
  return (await findApp(db, appId))?.name ?? '';
}

async function sendMail(
  { mailer, rateLimits, secrets }: Pick<AccountDeps, 'mailer' | 'rateLimits' | 'secrets'>,
  mail: Mail,
): Promise<boolean> {
  if (mailer === null) return false;
  const count = await rateLimits.counterOf(MAIL_LIMIT).take(secrets.hashRequest(mail.to));
  return count?.isRefused !== true && (await mailer.send(mail));
}

/** What an invitation says to who holds its token. @throws AppError `invitation.not_found`. */
export async function openInvitation(
  { db, clock }: Pick<AccountDeps, 'db' | 'clock'>,
  token: string,
): Promise<{ row: InvitationsTable; appName: string; inviter: UserRow; hasAccount: boolean }> {
  const row = await memberships.findInvitation(db, hashToken(token), isoTime(clock.nowMs() - TOKEN_MS));
  const inviter = row === undefined ? null : await findManager(db, row.app_id, row.made_by);
  if (row === undefined || inviter === null) throw new AppError('invitation.not_found');
  const hasAccount = (await findUserByEmail(db, row.email)) !== undefined;
  return { row, appName: await nameOf(db, row.app_id), inviter, hasAccount };
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
  const tokenHash = hashToken(input.token);
  const { row: invitation } = await openInvitation(deps, input.token);
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
    disabled_at: null,
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
  if (!(await lockUser(tx, user.id)) || (await findManager(tx, appId, invitation.made_by)) === null)
    return false;
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
