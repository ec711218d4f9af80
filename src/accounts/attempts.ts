import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Foundation } from '../foundation.ts';
import { HOUR_MS, SECOND_MS } from '../lib/clock.ts';
import { type RateLimit, type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import type { Turn } from './hash-turns.ts';

/** Sign-ins and other attempts with a secret; by all processes. */
export const SIGN_IN_LIMIT: RateLimit = { name: 'sign-in', points: 20, shared: true, countedBy: 'address' };

/** The request whose response sets the cookie. */
export interface Exchange {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The turn of a user who proved a token or a session. */
export function turnOf({ reply }: Exchange, userId: string): Turn {
  return { caller: userId, isKnown: true, response: reply.raw };
}

interface AttemptDeps extends Pick<Foundation, 'secrets'> {
  readonly rateLimits: RateLimits;
}

type Limit = Omit<RateLimit, 'countedBy'>;

const HOUR_SECONDS = HOUR_MS / SECOND_MS;
/** Passwords for an account from one address, or one known browser. */
const BY_GUESSER: Limit = { name: 'sign-in-account', points: 5, shared: true };
const BY_GUESSER_AN_HOUR: Limit = {
  ...{ name: 'sign-in-account-hour', points: 20, shared: true },
  seconds: HOUR_SECONDS,
};
/** Passwords for an account from all addresses together, known browsers excepted: ten addresses reach it, not one. */
const BY_STRANGERS: Limit = {
  ...{ name: 'sign-in-strangers', points: 200, shared: true },
  seconds: HOUR_SECONDS,
};

/** Who tries a password, and how an attempt that was right is taken back from the limits of an hour. */
export interface Attempt {
  readonly undo: () => Promise<void>;
}

/**
 * Counts an attempt before the password is checked. Known and unknown accounts alike, so that a refusal does not tell them
 * apart. A known browser or session has its own count, so that strangers cannot keep the owner of the account out.
 * @param knownAs the id of the browser or the session; null for a stranger, who is known by the address.
 * @throws AppError `rate.limited`.
 */
export async function countAttempt(
  { rateLimits, secrets }: AttemptDeps,
  { request, reply }: Exchange,
  { email, knownAs }: { email: string; knownAs: string | null },
): Promise<Attempt> {
  const account = secrets.hashRequest(email);
  const guesser = `${account} ${knownAs ?? rateLimits.addressOf(request)}`;
  const hourly: (readonly [Limit, string])[] = [[BY_GUESSER_AN_HOUR, guesser]];
  if (knownAs === null) hourly.push([BY_STRANGERS, account]);
  for (const [limit, caller] of [[BY_GUESSER, guesser] as const, ...hourly]) {
    const count = await rateLimits.counterOf(limit).take(caller);
    if (!count?.isRefused) continue;
    setRateLimitHeaders(reply, limit, count);
    const why = limit === BY_STRANGERS ? ' Use a browser in which you signed in before,' : '';
    throw rateLimited(
      count,
      `Too many passwords tried for this account.${why || ' Ask for a new password,'} or try again`,
    );
  }
  const undo = async () => {
    for (const [limit, caller] of hourly) await rateLimits.counterOf(limit).refund(caller);
  };
  return { undo };
}
