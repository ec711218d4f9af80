import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Mailer } from '../lib/mail/mailer.ts';
import { makeSecret, type Secrets } from '../lib/secrets.ts';
import { truncate } from '../lib/text.ts';
import { type RateLimit, type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import { hashToken, normaliseEmail, type SignedIn, type UserRow } from './account.ts';
import { sessionCookie, sessionTokenOf } from './cookie.ts';
import type { Passwords } from './passwords.ts';
import {
  deleteSessionByToken,
  deleteSessions,
  findUserByEmail,
  insertSession,
  updateUser,
} from './queries.ts';

/** Sign-ins and other attempts with a secret; by all processes. */
export const SIGN_IN_LIMIT: RateLimit = { name: 'sign-in', points: 20, shared: true, countedBy: 'address' };
/** Passwords tried for an account in a minute, right ones included; by all processes. */
const ACCOUNT_LIMIT = { name: 'sign-in-account', points: 5, shared: true };
const MAX_USER_AGENT_CHARACTERS = 255;

export interface AccountDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly config: Config;
  readonly secrets: Secrets;
  readonly log: Log;
  readonly rateLimits: RateLimits;
  readonly passwords: Passwords;
  /** Null without a mail server. */
  readonly mailer: Mailer | null;
}

/** The request whose response sets the cookie. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** @throws AppError `session.wrong_credentials`, in the same time for an unknown address; `rate.limited`. */
export async function signIn(
  deps: AccountDeps,
  exchange: Exchange,
  input: { email: string; password: string },
): Promise<UserRow> {
  const email = normaliseEmail(input.email);
  await countAttempt(deps, exchange, email);
  const user = await findUserByEmail(deps.db, email);
  const isRight = await deps.passwords.isRight(input.password, user?.password_hash ?? null);
  if (user === undefined || !isRight) throw new AppError('session.wrong_credentials');
  await startSession(deps, exchange, user);
  return user;
}

/** Always a new session; the one of the request's cookie ends. */
export async function startSession(
  { db, clock, ids, config }: Pick<AccountDeps, 'db' | 'clock' | 'ids' | 'config'>,
  { request, reply }: Exchange,
  user: UserRow,
): Promise<void> {
  const token = makeSecret();
  const now = isoTime(clock.nowMs());
  const former = sessionTokenOf(request.headers.cookie);
  const userAgent = request.headers['user-agent'] ?? null;
  await db.transaction().execute(async (tx) => {
    if (former !== null) await deleteSessionByToken(tx, hashToken(former));
    await insertSession(tx, {
      id: ids.next(),
      user_id: user.id,
      token_hash: hashToken(token),
      user_agent: userAgent === null ? null : truncate(userAgent, MAX_USER_AGENT_CHARACTERS),
      created_at: now,
      last_used_at: now,
    });
    await updateUser(tx, user.id, { last_used_at: now });
  });
  reply.header('set-cookie', sessionCookie(config, token));
}

/** Ends the user's other sessions. @throws AppError `password.wrong`, `rate.limited`. */
export async function changePassword(
  deps: AccountDeps,
  exchange: Exchange,
  { signedIn: { user, session }, current, next }: { signedIn: SignedIn; current: string; next: string },
): Promise<void> {
  const { db, passwords } = deps;
  await countAttempt(deps, exchange, user.email);
  if (!(await passwords.isRight(current, user.password_hash))) throw new AppError('password.wrong');
  const password_hash = await passwords.hash(next);
  await db.transaction().execute(async (tx) => {
    await updateUser(tx, user.id, { password_hash });
    await deleteSessions(tx, user.id, session.id);
  });
}

/** Counts known and unknown addresses alike, so that a refusal does not tell them apart. */
async function countAttempt(
  { rateLimits, secrets }: AccountDeps,
  { reply }: Exchange,
  email: string,
): Promise<void> {
  const count = await rateLimits.counterOf(ACCOUNT_LIMIT).take(secrets.hashRequest(email));
  if (!count?.isRefused) return;
  setRateLimitHeaders(reply, ACCOUNT_LIMIT, count);
  throw rateLimited(
    count,
    `Too many passwords tried for this account: at most ${ACCOUNT_LIMIT.points} a minute. Try again`,
  );
}
