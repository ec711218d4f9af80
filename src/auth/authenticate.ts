import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../errors.ts';
import { type RateLimit, type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import type { Actor, Role } from './actor.ts';
import type { KeyRing } from './key-ring.ts';
import type { Operator } from './operator.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireKey`. */
    actor: Actor;
    /** Set by `requireAdmin`. */
    operator: Operator;
  }
  interface FastifyContextConfig {
    /** In place of the keys of the scope. */
    key?: KeyDemand;
    /** The least role of a user whose session may call the route. Default: viewer to read, owner for the rest. */
    role?: Role;
  }
}

/** Keys that a route accepts: `live` secret live keys, `secret` secret keys, `test` test keys, `sdk` all keys. */
export type KeyDemand = 'live' | 'secret' | 'test' | 'sdk';

/** Requests a minute of an app's live keys, test keys or sessions, whatever their number; exact across all processes. */
export function byApp(name: string, points: number): RateLimit {
  return { name, points, shared: true, countedBy: ({ actor }) => budgetOf(actor) };
}

/** So that an app with one key of a kind has for it what the API promises for a key, and people no part of that. */
export function budgetOf({ appId, mode, user }: Actor): string {
  return `${appId} ${user === undefined ? mode : 'session'}`;
}

/** Shared by the endpoints that have no limit of their own; per process. */
export const MANAGEMENT_LIMIT: RateLimit = { ...byApp('management', 600), shared: false };

/** Refused requests a minute for each address. An address beyond it is refused with 429; a valid key still opens. */
const REFUSED_KEYS = { name: 'refused-keys', points: 120, shared: false };

/** The actor of the request's session; null without a session cookie. @throws AppError for a refused session. */
export type BySession = (request: FastifyRequest) => Promise<Actor | null>;

/** A hook that authenticates by the header `X-Api-Key`, or without it by the session where the scope accepts sessions. */
export function requireKey(
  { keyRing, rateLimits, bySession }: { keyRing: KeyRing; rateLimits: RateLimits; bySession?: BySession },
  demand: KeyDemand,
) {
  return countingRefusals(rateLimits, async (request) => {
    const key = request.headers['x-api-key'];
    const user = key === undefined ? ((await bySession?.(request)) ?? null) : null;
    if (user !== null) {
      request.actor = user;
      return;
    }
    if (typeof key !== 'string' || key === '') throw new AppError('key.missing');
    request.actor = await authenticate(keyRing, key, request.routeOptions.config.key ?? demand);
  });
}

const SECRET_KEYS = {
  secret: 'a secret key (svc_live_… or svc_test_… without pub)',
  live: 'the secret live key (svc_live_… without pub)',
} as const;

/** @throws AppError `key.invalid`, `key.mistyped`, `key.wrong_region` or `key.wrong_kind`. */
export async function authenticate(keyRing: KeyRing, key: string, demand: KeyDemand): Promise<Actor> {
  const actor = await keyRing.authenticate(key);
  if ((demand === 'live' || demand === 'secret') && actor.publishable)
    throw new AppError('key.wrong_kind', {
      message: `A publishable key opens /v1/sdk/* only. Use ${SECRET_KEYS[demand]}, from a server.`,
    });
  if (demand === 'live' && actor.mode !== 'live')
    throw new AppError('key.wrong_kind', {
      message: 'A test key does not open this endpoint. Use the secret live key (svc_live_…), from a server.',
    });
  if (demand === 'test' && actor.mode !== 'test')
    throw new AppError('key.wrong_kind', {
      message:
        'A live key does not open this endpoint. Use a test key of the app (svc_test_…, publishable or secret).',
    });
  return actor;
}

/** The scheme is case-insensitive (RFC 9110 11.1). */
const BEARER = /^bearer +(.+)$/i;

/** The operator of the request's session; null without a session cookie. @throws AppError for anybody else's session. */
export type OperatorBySession = (request: FastifyRequest) => Promise<Operator | null>;

/** A hook that requires the admin token, or without a bearer token an operator's session where the scope accepts them. */
export function requireAdmin({
  adminToken,
  rateLimits,
  operatorBySession,
}: {
  adminToken: string;
  rateLimits: RateLimits;
  operatorBySession?: OperatorBySession;
}) {
  const expected = digest(adminToken);
  return countingRefusals(rateLimits, async (request) => {
    const given = BEARER.exec(request.headers.authorization ?? '')?.[1];
    const user = given === undefined ? ((await operatorBySession?.(request)) ?? null) : null;
    if (user === null && (given === undefined || !timingSafeEqual(digest(given), expected)))
      throw new AppError('admin.unauthorized');
    request.operator = user ?? 'admin';
  });
}

/** Counts only what `check` refuses, so that the limit neither delays nor refuses a valid key. */
export function countingRefusals(rateLimits: RateLimits, check: (request: FastifyRequest) => Promise<void>) {
  const counter = rateLimits.counterOf(REFUSED_KEYS);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      await check(request);
    } catch (error) {
      if (!(error instanceof AppError && error.status === 401)) throw error;
      const count = await counter.take(rateLimits.addressOf(request));
      if (!count?.isRefused) throw error;
      setRateLimitHeaders(reply, REFUSED_KEYS, count);
      throw rateLimited(
        count,
        `Too many requests with a missing or wrong key from this address: at most ${REFUSED_KEYS.points} a minute. Check the key, or try again`,
      );
    }
  };
}

/** Equal lengths, for a comparison in constant time. */
function digest(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
