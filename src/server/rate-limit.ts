import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { type RateLimiterAbstract, RateLimiterMemory, RateLimiterRes } from 'rate-limiter-flexible';
import type { RateWindow } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import type { Log } from '../lib/log.ts';

declare module 'fastify' {
  interface FastifyContextConfig {
    /** In place of the limit of the scope. */
    rateLimit?: RateLimit;
  }
}

/** A limit of requests in a fixed window. */
export interface RateLimit {
  /** Policy name in the headers. Limits with the same name share a counter. */
  readonly name: string;
  readonly points: number;
  /** Length of the window; a minute without it. */
  readonly seconds?: number;
  /** Whether one count holds for all processes of the database; otherwise each process counts. */
  readonly shared: boolean;
  /** Key of the counter. */
  readonly countedBy: 'address' | ((request: FastifyRequest) => string);
}

const MINUTE_SECONDS = 60;

/** The rate limits of a server. */
export function createRateLimits({
  store,
  log,
  secrets,
  metrics,
}: Pick<Foundation, 'store' | 'log' | 'secrets' | 'metrics'>) {
  const refused = new Counter({
    name: 'throughline_rate_limited_total',
    help: 'Requests that a rate limit refused, by limit',
    labelNames: ['limit'],
    registers: [metrics],
  });
  const counters = new Map<string, RateCounter>();

  function counterOf({
    name,
    points,
    seconds = MINUTE_SECONDS,
    shared,
  }: Omit<RateLimit, 'countedBy'>): RateCounter {
    const known = counters.get(name);
    if (known !== undefined) return known;
    const window = { points, seconds };
    const limiter = shared ? store.sharedLimiter(name, window) : localLimiter(name, window);
    const counter = new RateCounter(limiter, log, () => refused.inc({ limit: name }));
    refused.inc({ limit: name }, 0);
    counters.set(name, counter);
    return counter;
  }

  /** One key per IPv4 address or IPv6 /64; hashed, since shared counters are in the database. */
  const addressOf = ({ ip }: FastifyRequest) => secrets.hashAddress(HASH_SCOPE, ip) ?? 'unknown';

  const callerOf = (request: FastifyRequest, { countedBy }: RateLimit) =>
    countedBy === 'address' ? addressOf(request) : countedBy(request);

  /** Counts a call and sets the `RateLimit` headers. @returns the refusal of a call beyond the limit, or null. */
  async function spend(
    limit: RateLimit,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<AppError | null> {
    const count = await counterOf(limit).take(callerOf(request, limit));
    if (count === null) return null;
    setRateLimitHeaders(reply, limit, count);
    if (!count.isRefused) return null;
    return rateLimited(count, `Too many requests: at most ${limit.points} a minute. Try again`);
  }

  return {
    counterOf,
    addressOf,
    spend,
    async refund(limit: RateLimit, request: FastifyRequest): Promise<void> {
      await counterOf(limit).refund(callerOf(request, limit));
    },
    /** A hook that counts the request, sets the `RateLimit` headers, and refuses requests beyond the limit. */
    hook(scopeLimit: RateLimit) {
      return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
        const limit = request.routeOptions.config.rateLimit ?? scopeLimit;
        const refusal = await spend(limit, request, reply);
        if (refusal !== null) throw refusal;
      };
    },
  };
}

export type RateLimits = ReturnType<typeof createRateLimits>;

/** Sets the `RateLimit` headers. */
export function setRateLimitHeaders(
  reply: FastifyReply,
  { name, points, seconds = MINUTE_SECONDS }: Pick<RateLimit, 'name' | 'points' | 'seconds'>,
  { remaining, resetSeconds }: Count,
): void {
  reply.header('ratelimit-policy', `"${name}";q=${points};w=${seconds}`);
  reply.header('ratelimit', `"${name}";r=${remaining};t=${resetSeconds}`);
}

/** @param message continued by “in 42 s.” */
export function rateLimited({ resetSeconds }: Count, message: string): AppError {
  return new AppError('rate.limited', {
    message: `${message} in ${resetSeconds} s.`,
    retryAfterSeconds: resetSeconds,
  });
}

/** Points left in the current window. */
interface Count {
  readonly isRefused: boolean;
  readonly remaining: number;
  readonly resetSeconds: number;
}

class RateCounter {
  readonly #limiter: RateLimiterAbstract;
  readonly #log: Log;
  readonly #onRefused: () => void;

  constructor(limiter: RateLimiterAbstract, log: Log, onRefused: () => void) {
    this.#limiter = limiter;
    this.#log = log;
    this.#onRefused = onRefused;
  }

  /** Takes points, even if too few are left. Null if the counter's store is unavailable: the request passes. */
  async take(caller: string, points = 1): Promise<Count | null> {
    try {
      return toCount(await this.#limiter.consume(caller, points), false);
    } catch (refused) {
      if (refused instanceof RateLimiterRes) {
        this.#onRefused();
        return toCount(refused, true);
      }
      this.#warn(refused);
      return null;
    }
  }

  async refund(caller: string, points = 1): Promise<void> {
    await this.#limiter.reward(caller, points).catch((error: unknown) => this.#warn(error));
  }

  #warn(err: unknown): void {
    this.#log.warn({ err }, 'Failed to count a request against its rate limit; request allowed');
  }
}

function toCount({ remainingPoints, msBeforeNext }: RateLimiterRes, isRefused: boolean): Count {
  return {
    isRefused,
    remaining: Math.max(0, remainingPoints),
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1_000)),
  };
}

/** In place of an app's id, so that counters cannot be joined with an app's records. */
const HASH_SCOPE = 'rate limits';

function localLimiter(name: string, { points, seconds }: RateWindow): RateLimiterAbstract {
  return new RateLimiterMemory({ keyPrefix: name, points, duration: seconds });
}
