import { hash, timingSafeEqual } from 'node:crypto';
import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { type RateLimits, rateLimited, setRateLimitHeaders } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { type Actor, COMMAND_LINE_AGENT, type Operator, type Role } from './actor.ts';
import { assertKind, type KeyDemand } from './key.ts';
import type { KeyRing } from './key-ring.ts';
import { memberBy, operatorBy, type SignedIn, signedInOf } from './session.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Where a key opens the route, or the session of a member. */
    actor: Actor;
    /** Where the admin token opens the route. */
    operator: Operator;
    /** Where a session opens the route, and the request came with one. */
    signedIn: SignedIn;
    /** The check of the route once more, while a response goes on. Rejects with an `AppError` below 500 for who may not call it any more. */
    checkAgain: () => Promise<void>;
  }
  interface FastifyContextConfig {
    /** In place of the keys of the scope. */
    key?: KeyDemand;
    /** The least role of a member whose session may call the route. Default: viewer to read, owner for the rest. */
    role?: Role;
    /** Set by `guard`, from these and the access of the scope. */
    access?: Access;
  }
}

/** Who may call the routes of a scope. A request with several proofs is judged by the first in this order. */
interface Access {
  /** By `Authorization: Bearer`. */
  readonly adminToken?: true;
  /** As the admin token, for `/metrics` alone. */
  readonly metricsToken?: true;
  /** By the header `X-Api-Key`, or by the field `apiKey` of the body. */
  readonly key?: KeyDemand;
  readonly keyInBody?: true;
  /** Any user's, that of a member of the app in `X-App-Id`, or an operator's. */
  readonly session?: 'user' | 'member' | 'operator';
  /** The least role of the member. */
  readonly role?: Role;
}

/** Refused requests a minute for each address. An address beyond it is refused with 429; a valid key still opens. */
const REFUSED_KEYS = { name: 'refused-keys', points: 120, shared: false };

/** The scheme is case-insensitive (RFC 9110 11.1). */
const BEARER = /^bearer +(.+)$/i;

type AuthDeps = Pick<Foundation, 'db' | 'clock' | 'config' | 'log'> & {
  readonly keyRing: KeyRing;
  readonly rateLimits: RateLimits;
  /** Any of them opens. */
  readonly adminTokens: readonly string[];
};

export type Auth = ReturnType<typeof createAuth>;

/** Knows callers by key, session and admin token, and lets them call what the access of a route allows. */
export function createAuth({ keyRing, rateLimits, adminTokens, ...deps }: AuthDeps) {
  const expected = adminTokens.map(digest);
  const { metricsToken } = deps.config;
  const withMetrics = metricsToken === null ? expected : [...expected, digest(metricsToken)];

  /** Each comparison is made, so that the time tells nothing of any. */
  function isOpenedBy(token: string, access: Access): boolean {
    const given = digest(token);
    const opening = access.metricsToken ? withMetrics : expected;
    return opening.map((each) => timingSafeEqual(given, each)).includes(true);
  }

  async function authenticate(request: FastifyRequest): Promise<void> {
    const { access = {} } = request.routeOptions.config;
    const token = access.adminToken && BEARER.exec(request.headers.authorization ?? '')?.[1];
    if (token !== undefined) {
      if (!isOpenedBy(token, access)) throw new AppError('admin.unauthorized');
      request.operator = request.headers['user-agent'] === COMMAND_LINE_AGENT ? 'command_line' : 'admin';
      return;
    }
    const key = access.keyInBody ? keyIn(request.body) : request.headers['x-api-key'];
    if (access.key !== undefined && key !== undefined) {
      if (typeof key !== 'string' || key === '') throw missing(access);
      request.actor = assertKind(await keyRing.authenticate(key), access.key);
      return;
    }
    const signedIn = access.session === undefined ? null : await signedInOf(deps, request);
    if (signedIn === null) throw missing(access);
    request.signedIn = signedIn;
    if (access.session === 'operator') request.operator = operatorBy(signedIn);
    if (access.role !== undefined) request.actor = await memberBy(deps, request, signedIn, access.role);
  }

  const check = countingRefusals(rateLimits, authenticate);
  return {
    /** Checks the callers of a scope in another way. @param checkCaller throws AppError of status 401. */
    guardBy(scope: Api, checkCaller: (request: FastifyRequest) => Promise<void>): void {
      scope.addHook('onRequest', countingRefusals(rateLimits, checkCaller));
    },
    /** Checks the access to the routes of a scope, and describes it in the OpenAPI document. */
    guard(scope: Api, access: Access): void {
      scope.addHook('onRoute', (route) => {
        const { key = access.key, role = leastRoleOf(route.method) } = route.config ?? {};
        const ofRoute = { ...access, key, ...(access.session === 'member' && { role }) };
        route.config = { ...route.config, access: ofRoute };
        // A key in the body has no place in the document.
        if (!access.keyInBody) route.schema = describedBy(route.schema ?? {}, ofRoute);
      });
      if (access.keyInBody) scope.addHook('preValidation', authenticate);
      else {
        scope.addHook('onRequest', async (request, reply) => {
          request.checkAgain = () => check(request, reply);
          await check(request, reply);
        });
        // A body may take half a minute, in which the caller can have lost the role, the session or the key.
        scope.addHook('preHandler', async (request, reply) => {
          if (request.body !== undefined) await check(request, reply);
        });
      }
    },
  };
}

function leastRoleOf(method: string | string[]): Role {
  return method === 'GET' || method === 'HEAD' ? 'viewer' : 'owner';
}

/** The name behind a scheme is the kind of key, or the role, that it needs. */
function describedBy(schema: FastifySchema, { adminToken, key, session, role }: Access): FastifySchema {
  const needed = session === 'operator' ? session : role;
  const security: Record<string, string[]>[] = [
    ...(adminToken ? [{ adminToken: [] }] : []),
    ...(key === undefined ? [] : [{ apiKey: [key] }]),
    ...(session === undefined ? [] : [{ session: needed === undefined ? [] : [needed] }]),
  ];
  const refusals = session === undefined ? errorResponses(401) : errorResponses(401, 403);
  return { ...schema, security, response: { ...refusals, ...(schema.response as object) } };
}

function keyIn(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('request.invalid', {
      message: 'The body must be a JSON object with apiKey and fingerprint.',
    });
  return (body as { apiKey?: unknown }).apiKey;
}

function missing({ adminToken, key, keyInBody }: Access): AppError {
  if (adminToken) return new AppError('admin.unauthorized');
  if (keyInBody)
    return new AppError('key.missing', {
      message: 'apiKey is missing from the body. Send a live or test key of the app in it.',
    });
  return new AppError(key === undefined ? 'session.missing' : 'key.missing');
}

/** Counts only what `authenticate` refuses, so that the limit neither delays nor refuses a valid key. */
function countingRefusals(rateLimits: RateLimits, authenticate: (request: FastifyRequest) => Promise<void>) {
  const counter = rateLimits.counterOf(REFUSED_KEYS);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    try {
      await authenticate(request);
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
