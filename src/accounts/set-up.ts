import { recordChange, recordServiceChange } from '../audit/index.ts';
import { deleteSessions, hashToken, type Operator } from '../auth/index.ts';
import type { Transaction } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { Mailer } from '../lib/mail/mailer.ts';
import { makeSecret } from '../lib/secrets.ts';
import { normaliseEmail, TOKEN_MS, type UserRow } from './account.ts';
import { type Exchange, turnOf } from './attempts.ts';
import { mayStillOperate } from './authors.ts';
import { listAppsWithoutOwner, upsertMembership } from './membership-queries.ts';
import {
  deletePasswordResets,
  deleteSetupToken,
  findSetupToken,
  findUserByEmail,
  insertUser,
  updateUser,
  upsertSetupToken,
} from './queries.ts';
import type { AccountDeps } from './sign-in.ts';
import { tokenMail } from './token-mail.ts';

type SetupAddressDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config'>;

/**
 * A one-time address at which an operator is made. The address before becomes invalid.
 * @param email the only one that it makes an operator of; null for any.
 */
export async function makeSetupAddress(
  { db, clock, ids, config }: SetupAddressDeps,
  { by, email }: { by: Operator | 'first_start'; email: string | null },
): Promise<string> {
  const token = makeSecret();
  const made_by = typeof by === 'object' ? by.user.id : null;
  const created_at = isoTime(clock.nowMs());
  await db.transaction().execute(async (tx) => {
    await upsertSetupToken(tx, { token_hash: hashToken(token), made_by, email, created_at });
    const change = { action: 'setup.address_made', by, recordId: null, email: email ?? undefined } as const;
    await recordServiceChange(tx, { clock, ids }, change);
  });
  return `${config.publicUrl}/console/setup#${token}`;
}

/**
 * Only the admin token gets the address itself. An operator's goes to its reader alone, who so proves to have the email.
 * @returns null for an address that was mailed.
 * @throws AppError `request.invalid`, `mail.off`, `mail.failed`.
 */
export async function giveSetupAddress(
  deps: SetupAddressDeps & { readonly mailer: Mailer | null },
  { by, email }: { by: Operator; email: string | null },
): Promise<string | null> {
  if (email === null) {
    if (typeof by === 'string') return await makeSetupAddress(deps, { by, email });
    throw new AppError('request.invalid', {
      message: 'email is required with a session: the address is mailed to it. Send email.',
    });
  }
  if (deps.mailer === null) throw new AppError('mail.off');
  const to = normaliseEmail(email);
  const url = await makeSetupAddress(deps, { by, email: to });
  const endsAtMs = deps.clock.nowMs() + TOKEN_MS;
  const mail = tokenMail({
    to,
    url,
    endsAtMs,
    subject: 'Set-up of an operator',
    action: 'become an operator',
  });
  if (!(await deps.mailer.send(mail))) throw new AppError('mail.failed');
  return null;
}

interface SetUpInput {
  readonly token: string;
  readonly email: string;
  readonly name: string;
  readonly password: string;
}

/**
 * Makes an operator, who owns every app without an owner. A user with this address becomes one and gets the password, so
 * that a lost password can be replaced; the user's sessions end.
 * @throws AppError `setup.wrong_token`.
 */
export async function setUp(deps: AccountDeps, exchange: Exchange, input: SetUpInput): Promise<UserRow> {
  const { db, clock, ids, passwords } = deps;
  const tokenHash = hashToken(input.token);
  const email = normaliseEmail(input.email);
  const token = await findSetupToken(db, tokenHash, isoTime(clock.nowMs() - TOKEN_MS));
  const isRight = token !== undefined && (token.email ?? email) === email;
  if (!isRight || !(await mayStillOperate(db, token.made_by))) throw new AppError('setup.wrong_token');
  const password_hash = await passwords.hash(input.password, turnOf(exchange, tokenHash));
  return await db.transaction().execute(async (tx) => {
    if (!(await mayStillOperate(tx, token.made_by)) || !(await deleteSetupToken(tx, tokenHash)))
      throw new AppError('setup.wrong_token');
    const isProven = token.email !== null;
    const user = await makeOperator(tx, deps, { email, name: input.name, password_hash, isProven });
    const change = { action: 'setup.used', by: { user }, recordId: user.id, email } as const;
    await recordServiceChange(tx, { clock, ids }, change);
    await ownApps(tx, deps, user);
    return user;
  });
}

interface NewOperator {
  readonly email: string;
  readonly name: string;
  readonly password_hash: string;
  readonly isProven: boolean;
}

async function makeOperator(
  tx: Transaction,
  { clock, ids }: AccountDeps,
  { email, name, password_hash, isProven }: NewOperator,
): Promise<UserRow> {
  const known = await findUserByEmail(tx, email);
  const now = isoTime(clock.nowMs());
  const changes = {
    name,
    password_hash,
    is_operator: 1,
    email_proven_at: known?.email_proven_at ?? (isProven ? now : null),
  } as const;
  if (known !== undefined) {
    await updateUser(tx, known.id, changes);
    await deleteSessions(tx, known.id, null);
    await deletePasswordResets(tx, known.id);
    return { ...known, ...changes };
  }
  const user: UserRow = {
    ...{ id: ids.next(), email, oidc_subject: null, created_at: now, last_used_at: null, disabled_at: null },
    ...changes,
  };
  await insertUser(tx, user);
  return user;
}

async function ownApps(tx: Transaction, { clock, ids }: AccountDeps, user: UserRow): Promise<void> {
  const created_at = isoTime(clock.nowMs());
  for (const appId of await listAppsWithoutOwner(tx)) {
    await upsertMembership(tx, { app_id: appId, user_id: user.id, role: 'owner', created_at });
    const about = { email: user.email, role: 'owner' };
    const change = { appId, recordId: user.id, sandbox: 0, about } as const;
    await recordChange(tx, { clock, ids }, { ...change, action: 'user.joined', by: { user } });
  }
}
