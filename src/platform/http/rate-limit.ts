import type { FastifyReply, FastifyRequest } from 'fastify';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { Ctx } from '../ctx.ts';
import type { RateWindow } from '../db/index.ts';
import { AppError } from '../errors.ts';

/** How often one caller may call: a fixed window, counted after authentication. */
export interface RateLimit {
  /** Name of the policy in the headers. Routes with the same name count together. */
  readonly name: string;
  readonly points: number;
  /** Exact across all processes of the database; others are exact on each machine. */
  readonly shared: boolean;
  /** Whose requests are counted together. */
  readonly countedBy: (request: FastifyRequest, ctx: Ctx) => string;
}

const WINDOW_SECONDS = 60;

/** A hook that counts the request, says in `RateLimit` how many are left, and refuses those that are too many. */
export function limitRate(ctx: Ctx, limit: RateLimit) {
  const limiter = limiterFor(ctx, limit);
  const policy = `"${limit.name}";q=${limit.points};w=${WINDOW_SECONDS}`;
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const { count, refused } = await consume(ctx, limiter, limit.countedBy(request, ctx));
    if (count === null) return;
    const resetSeconds = resetSecondsOf(count);
    reply.header('ratelimit-policy', policy);
    reply.header('ratelimit', `"${limit.name}";r=${Math.max(0, count.remainingPoints)};t=${resetSeconds}`);
    if (refused)
      throw new AppError('rate.limited', {
        message: `Too many requests: at most ${limit.points} a minute. Try again in ${resetSeconds} s.`,
        retryAfterSeconds: resetSeconds,
      });
  };
}

/** Counts bytes of a caller against a limit whose points are bytes. @throws AppError `rate.limited` above it. */
export function limitBytes(ctx: Ctx, limit: RateLimit) {
  const limiter = limiterFor(ctx, limit);
  return async (request: FastifyRequest, bytes: number): Promise<void> => {
    const { count, refused } = await consume(ctx, limiter, limit.countedBy(request, ctx), bytes);
    if (!refused || count === null) return;
    const retryAfterSeconds = resetSecondsOf(count);
    throw new AppError('rate.limited', {
      message: `Too many bytes: at most ${limit.points} a minute. Try again in ${retryAfterSeconds} s.`,
      retryAfterSeconds,
    });
  };
}

function resetSecondsOf({ msBeforeNext }: RateLimiterRes): number {
  return Math.max(1, Math.ceil(msBeforeNext / 1_000));
}

/** What an address is hashed for here: no app's records can be joined with the counters. */
const HASHED_FOR = 'rate limits';

/** One caller for each address, an IPv6 network counting whole; hashed, since shared counters are in the database. */
export function callerAddress({ ip }: FastifyRequest, { secrets }: Ctx): string {
  return secrets.hashAddress(HASHED_FOR, ip) ?? 'unknown';
}

/** SDK calls count by address and never by key: all phones share one. */
export const SDK_LIMIT: RateLimit = { name: 'sdk', points: 600, shared: false, countedBy: callerAddress };

const limiters = new WeakMap<Ctx['store'], Map<string, RateLimiterAbstract>>();

function limiterFor(ctx: Ctx, { name, points, shared }: RateLimit): RateLimiterAbstract {
  const known = limiters.get(ctx.store) ?? new Map<string, RateLimiterAbstract>();
  limiters.set(ctx.store, known);
  const window = { points, seconds: WINDOW_SECONDS };
  const limiter =
    known.get(name) ?? (shared ? ctx.store.sharedLimiter(name, window) : localLimiter(ctx, name, window));
  known.set(name, limiter);
  return limiter;
}

function localLimiter({ siblings }: Ctx, name: string, window: RateWindow): RateLimiterAbstract {
  if (siblings !== null) return siblings.limiter(name, window);
  return new RateLimiterMemory({ keyPrefix: name, points: window.points, duration: window.seconds });
}

async function consume(
  ctx: Ctx,
  limiter: RateLimiterAbstract,
  caller: string,
  points = 1,
): Promise<{ count: RateLimiterRes | null; refused: boolean }> {
  try {
    return { count: await limiter.consume(caller, points), refused: false };
  } catch (refusal) {
    if (refusal instanceof RateLimiterRes) return { count: refusal, refused: true };
    // The counter's store is away: better to serve uncounted than to refuse everybody.
    ctx.log.warn({ err: refusal }, 'requests cannot be counted right now, so they pass');
    return { count: null, refused: false };
  }
}
