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
  const counter = new RateCounter(ctx, limit);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const count = await counter.take(limit.countedBy(request, ctx));
    if (count === null) return;
    describeCount(reply, limit, count);
    if (count.isRefused)
      throw refusal(count, `Too many requests: at most ${limit.points} a minute. Try again`);
  };
}

/** Says in the headers of the answer what is left of a limit. */
export function describeCount(
  reply: FastifyReply,
  { name, points }: Pick<RateLimit, 'name' | 'points'>,
  { remaining, resetSeconds }: Count,
): void {
  reply.header('ratelimit-policy', `"${name}";q=${points};w=${WINDOW_SECONDS}`);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}

/** @param message to which the seconds until the next window are added. */
export function refusal({ resetSeconds }: Count, message: string): AppError {
  return new AppError('rate.limited', {
    message: `${message} in ${resetSeconds} s.`,
    retryAfterSeconds: resetSeconds,
  });
}

/** What a caller has left of the present window. */
interface Count {
  readonly isRefused: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

/** Counts callers' points in windows of a minute. */
export class RateCounter {
  readonly #log: Ctx['log'];
  readonly #limiter: RateLimiterAbstract;

  constructor(ctx: Ctx, limit: Omit<RateLimit, 'countedBy'>) {
    this.#log = ctx.log;
    this.#limiter = limiterFor(ctx, limit);
  }

  /** Takes points, also when too few are left. Null when the counter's store is away: the request passes. */
  async take(caller: string, points = 1): Promise<Count | null> {
    try {
      return toCount(await this.#limiter.consume(caller, points), false);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) return toCount(refused, true);
      this.#warn(refused);
      return null;
    }
  }

  /** Gives back points of a request that is refused. */
  async giveBack(caller: string, points = 1): Promise<void> {
    await this.#limiter.reward(caller, points).catch((error: unknown) => this.#warn(error));
  }

  /** Serving uncounted is better than refusing everybody. */
  #warn(err: unknown): void {
    this.#log.warn({ err }, 'Failed to count requests; they pass uncounted');
  }
}

function toCount({ remainingPoints, msBeforeNext }: RateLimiterRes, isRefused: boolean): Count {
  return {
    isRefused,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  };
}

/** What an address is hashed for here: no app's records can be joined with the counters. */
const HASHED_FOR = 'rate limits';

/** One caller for each address, an IPv6 network counting whole; hashed, since shared counters are in the database. */
export function callerAddress({ ip }: FastifyRequest, { secrets }: Ctx): string {
  return secrets.hashAddress(HASHED_FOR, ip) ?? 'unknown';
}

const limiters = new WeakMap<Ctx['store'], Map<string, RateLimiterAbstract>>();

function limiterFor(ctx: Ctx, { name, points, shared }: Omit<RateLimit, 'countedBy'>): RateLimiterAbstract {
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
