import { recordServiceChange } from '../audit/index.ts';
import {
  browserCookie,
  browserOf,
  deleteSessionByToken,
  deleteSessions,
  formerCookieRemoval,
  formerTokenOf,
  hashToken,
  insertSession,
  type SignedIn,
  sessionCookie,
  sessionTokenOf,
} from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { Mailer } from '../lib/mail/mailer.ts';
import { makeSecret } from '../lib/secrets.ts';
import { truncate } from '../lib/text.ts';
import type { RateLimits } from '../server/rate-limit.ts';
import { normaliseEmail, type UserRow } from './account.ts';
import { countAttempt, type Exchange, turnOf } from './attempts.ts';
import { knownBrowserId, makeKnownBrowser } from './known-browser.ts';
import type { Passwords } from './passwords.ts';
import { deletePasswordResets, findUser, findUserByEmail, lockUser, updateUser } from './queries.ts';

const MAX_USER_AGENT_CHARACTERS = 255;

export interface AccountDeps extends Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets' | 'log'> {
  readonly rateLimits: RateLimits;
  readonly passwords: Passwords;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
}

/** @throws AppError `session.wrong_credentials`, in the same time for an unknown address; `rate.limited`. */
export async function signIn(
  deps: AccountDeps,
  exchange: Exchange,
  input: { email: string; password: string },
): Promise<UserRow> {
  const email = normaliseEmail(input.email);
  const user = await findUserByEmail(deps.db, email);
  const cookie = browserOf(deps.config, exchange.request.headers.cookie);
  const knownAs = user === undefined ? null : knownBrowserId(deps.secrets, user, cookie);
  const attempt = await countAttempt(deps, exchange, { email, knownAs });
  const isKnown = user !== undefined && knownAs !== null;
  const caller = isKnown ? user.id : deps.rateLimits.addressOf(exchange.request);
  const turn = { caller, isKnown, response: exchange.reply.raw };
  const isRight = await deps.passwords.isRight(input.password, user?.password_hash ?? null, turn);
  if (user === undefined || !isRight) throw new AppError('session.wrong_credentials');
  await attempt.undo();
  await startSession(deps, exchange, user);
  return user;
}

/**
 * Always a new session; the one of the request's cookie ends, also of a cookie with the former name.
 * @throws AppError `user.disabled`
 */
export async function startSession(
  { db, clock, ids, config, secrets }: Pick<AccountDeps, 'db' | 'clock' | 'ids' | 'config' | 'secrets'>,
  { request, reply }: Exchange,
  user: UserRow,
  method: 'password' | 'oidc' = 'password',
): Promise<void> {
  const token = makeSecret();
  const now = isoTime(clock.nowMs());
  const { cookie } = request.headers;
  const former = formerTokenOf(config, cookie);
  const userAgent = request.headers['user-agent'] ?? null;
  await db.transaction().execute(async (tx) => {
    // Waits for a change of the user that is in progress.
    await lockUser(tx, user.id);
    if ((await findUser(tx, user.id))?.disabled_at != null) throw new AppError('user.disabled');
    for (const ended of [sessionTokenOf(config, cookie), former])
      if (ended !== null) await deleteSessionByToken(tx, hashToken(ended));
    await insertSession(tx, {
      id: ids.next(),
      user_id: user.id,
      token_hash: hashToken(token),
      user_agent: userAgent === null ? null : truncate(userAgent, MAX_USER_AGENT_CHARACTERS),
      created_at: now,
      last_used_at: now,
    });
    await updateUser(tx, user.id, { last_used_at: now });
    const change = { by: { user }, recordId: user.id, email: user.email, about: { method } };
    await recordServiceChange(tx, { clock, ids }, { ...change, action: 'user.signed_in' });
  });
  reply.header('set-cookie', sessionCookie(config, token));
  if (former !== null) reply.header('set-cookie', formerCookieRemoval(config));
  rememberBrowser({ config, secrets }, reply, user);
}

/** Without a password there is none to guess. */
function rememberBrowser(
  { config, secrets }: Pick<AccountDeps, 'config' | 'secrets'>,
  reply: Exchange['reply'],
  user: UserRow,
): void {
  if (user.password_hash !== null)
    reply.header('set-cookie', browserCookie(config, makeKnownBrowser(secrets, user)));
}

/** Ends the user's other sessions. @throws AppError `password.wrong`, `rate.limited`. */
export async function changePassword(
  deps: AccountDeps,
  exchange: Exchange,
  { signedIn: { user, session }, current, next }: { signedIn: SignedIn; current: string; next: string },
): Promise<void> {
  const { db, passwords } = deps;
  const attempt = await countAttempt(deps, exchange, { email: user.email, knownAs: session.id });
  const turn = turnOf(exchange, user.id);
  if (!(await passwords.isRight(current, user.password_hash, turn))) throw new AppError('password.wrong');
  await attempt.undo();
  const password_hash = await passwords.hash(next, turn);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { password_hash });
    await deleteSessions(tx, user.id, session.id);
    await deletePasswordResets(tx, user.id);
    const change = { by: { user }, recordId: user.id, email: user.email };
    await recordServiceChange(tx, deps, { ...change, action: 'password.changed' });
  });
  rememberBrowser(deps, exchange.reply, { ...user, password_hash });
}
