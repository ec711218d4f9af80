import { recordServiceChange } from '../audit/index.ts';
import { deleteSessions, hashToken, type Operator } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { HOUR_MS, isoTime, SECOND_MS } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { makeSecret } from '../lib/secrets.ts';
import { rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import { normaliseEmail, type UserRow } from './account.ts';
import { type Exchange, turnOf } from './attempts.ts';
import { mayStillOperate } from './authors.ts';
import * as queries from './queries.ts';
import type { AccountDeps } from './sign-in.ts';
import { tokenMail } from './token-mail.ts';

/** From the making of an address to its use. */
export const RESET_MS = HOUR_MS;
/** Mails for an account; counted for unknown ones too, so that a refusal does not tell them apart. */
const RESET_LIMIT = { name: 'password-resets', points: 5, seconds: HOUR_MS / SECOND_MS, shared: true };

/**
 * Mails an address for a new password, if a user with a password has the email. Neither the response nor its time tells
 * whether there is one.
 * @returns whether the service sends mails.
 * @throws AppError `rate.limited`.
 */
export async function requestPasswordReset(
  deps: AccountDeps,
  { reply }: Exchange,
  email: string,
): Promise<boolean> {
  const { rateLimits, secrets, mailer, log } = deps;
  const to = normaliseEmail(email);
  const count = await rateLimits.counterOf(RESET_LIMIT).take(secrets.hashRequest(to));
  if (count?.isRefused) {
    setRateLimitHeaders(reply, RESET_LIMIT, count);
    throw rateLimited(count, `At most ${RESET_LIMIT.points} mails an hour go to an account. Try again`);
  }
  if (mailer === null) return false;
  // Not awaited: a mail takes longer than none.
  void mailReset(deps, to).catch((err: unknown) => log.warn({ err }, 'Failed to mail a new password'));
  return true;
}

async function mailReset(deps: AccountDeps, to: string): Promise<void> {
  const user = await queries.findUserByEmail(deps.db, to);
  // Of the others the provider of OpenID Connect decides whether they may still sign in.
  if (user === undefined || user.password_hash === null || user.disabled_at !== null) return;
  const url = await makeAddress(deps, user, { madeBy: null, isMailed: true });
  const endsAtMs = deps.clock.nowMs() + RESET_MS;
  await deps.mailer?.send(
    tokenMail({ to, url, endsAtMs, subject: 'New password', action: 'choose a new password' }),
  );
}

/** An address to pass on. It proves nothing about the email. @throws AppError `user.not_found`. */
export async function makeResetAddress(
  deps: Pick<AccountDeps, 'db' | 'clock' | 'ids' | 'config'>,
  { userId, by }: { userId: string; by: Operator },
): Promise<string> {
  const { db, clock, ids } = deps;
  const user = isUuid(userId) ? await queries.findUser(db, userId.toLowerCase()) : undefined;
  if (user === undefined)
    throw new AppError('user.not_found', {
      message: 'There is no user with this id. List them with GET /v1/admin/users.',
    });
  const change = { by, recordId: user.id, email: user.email };
  return await db.transaction().execute(async (tx) => {
    await recordServiceChange(tx, { clock, ids }, { ...change, action: 'password_reset.address_made' });
    const madeBy = typeof by === 'string' ? null : by.user.id;
    return await makeAddress({ ...deps, db: tx }, user, { madeBy, isMailed: false });
  });
}

async function makeAddress(
  { db, clock, config }: Pick<AccountDeps, 'db' | 'clock' | 'config'>,
  { id: user_id }: UserRow,
  { madeBy, isMailed }: { madeBy: string | null; isMailed: boolean },
): Promise<string> {
  const token = makeSecret();
  await queries.insertPasswordReset(db, {
    ...{ token_hash: hashToken(token), user_id, made_by: madeBy },
    ...{ is_mailed: isMailed ? 1 : 0, created_at: isoTime(clock.nowMs()) },
  });
  return `${config.publicUrl}/console/password-reset#${token}`;
}

/** Sets the password and ends all sessions and other addresses of the user. @throws AppError `password_reset.wrong_token`. */
export async function resetPassword(
  { db, clock, ids, passwords }: AccountDeps,
  exchange: Exchange,
  { token, password }: { token: string; password: string },
): Promise<UserRow> {
  const nowMs = clock.nowMs();
  const reset = await queries.findPasswordReset(db, hashToken(token), isoTime(nowMs - RESET_MS));
  if (reset === undefined || !(await mayStillOperate(db, reset.made_by)))
    throw new AppError('password_reset.wrong_token');
  const password_hash = await passwords.hash(password, turnOf(exchange, reset.user_id));
  return await db.transaction().execute(async (tx) => {
    // The user first, so that two addresses of one user do not wait for each other.
    await queries.lockUser(tx, reset.user_id);
    const isFirst = await queries.deletePasswordReset(tx, reset.token_hash);
    if (!isFirst || !(await mayStillOperate(tx, reset.made_by)))
      throw new AppError('password_reset.wrong_token');
    await queries.deletePasswordResets(tx, reset.user_id);
    await queries.updateUser(tx, reset.user_id, { password_hash });
    if (reset.is_mailed === 1) await queries.proveEmail(tx, reset.user_id, isoTime(nowMs));
    await deleteSessions(tx, reset.user_id, null);
    const user = await queries.findUser(tx, reset.user_id);
    if (user === undefined) throw new AppError('password_reset.wrong_token');
    const change = {
      action: 'password_reset.used',
      by: { user },
      recordId: user.id,
      email: user.email,
    } as const;
    await recordServiceChange(tx, { clock, ids }, change);
    return user;
  });
}
