import { hash } from 'node:crypto';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Db, SessionsTable, UsersTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, DAY_MS, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { RateLimits } from '../server/rate-limit.ts';
import { type Actor, mayAct, type Role } from './actor.ts';
import { type BySession, countingRefusals, type OperatorBySession } from './authenticate.ts';
import { sessionTokenOf } from './cookie.ts';
import { refuseCrossSite } from './cross-site.ts';
import { findRole, findSession, hasApp, updateLastUse } from './queries.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `requireSession`. */
    signedIn: SignedIn;
  }
  interface FastifyContextConfig {
    /** Whether the query may name the app of a session: an `EventSource` sends no headers. */
    appInQuery?: boolean;
  }
}

/** The user and session of a request with a session cookie. */
export interface SignedIn {
  readonly user: UsersTable;
  readonly session: Pick<SessionsTable, 'id' | 'last_used_at'>;
}

/** A session ends after this time without use. */
export const SESSION_MS = 7 * DAY_MS;

/** The stored form of session, invitation and set-up tokens. A plain hash suffices: they have 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

/** Resolution of the time of last use. */
const LAST_USED_STEP_MS = MINUTE_MS;

interface SessionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly config: Config;
  readonly log: Log;
}

/**
 * The user of the session cookie; null without a cookie. Reads the database each time, so that a session ends at once in
 * every process.
 * @throws AppError `session.cross_site`, or `session.missing` if the session has ended.
 */
export async function signedInOf(deps: SessionDeps, { headers }: FastifyRequest): Promise<SignedIn | null> {
  const { db, clock, config } = deps;
  const token = sessionTokenOf(config, headers.cookie);
  if (token === null) return null;
  refuseCrossSite(config, headers);
  const found = await findSession(db, hashToken(token), isoTime(clock.nowMs() - SESSION_MS));
  if (found === undefined) throw new AppError('session.missing');
  await noteUse(deps, found);
  return found;
}

async function noteUse({ db, clock, log }: SessionDeps, signedIn: SignedIn): Promise<void> {
  const nowMs = clock.nowMs();
  if (nowMs - Date.parse(signedIn.session.last_used_at) < LAST_USED_STEP_MS) return;
  // A full disk does not end reading.
  await updateLastUse(db, signedIn, isoTime(nowMs)).catch((err: unknown) =>
    log.warn({ err }, 'Failed to write the last use of a session'),
  );
}

/** For `requireKey`: the user acts as the secret live key of the app in `X-App-Id`, within the user's role. */
export function actorOfSession(deps: SessionDeps): BySession {
  return async (request) => {
    const signedIn = await signedInOf(deps, request);
    return signedIn === null ? null : await toActor(deps, request, signedIn);
  };
}

/** For `requireAdmin`: the user of the session, who must be an operator. */
export function operatorOfSession(deps: SessionDeps): OperatorBySession {
  return async (request) => {
    const signedIn = await signedInOf(deps, request);
    if (signedIn === null) return null;
    const { id, email, is_operator } = signedIn.user;
    if (is_operator !== 1)
      throw new AppError('role.too_low', {
        message: 'Only operators may do this, and you are none. Ask an operator of the service.',
      });
    return { user: { id, email } };
  };
}

/** A hook that requires a session. */
export function requireSession(deps: SessionDeps & { rateLimits: RateLimits }) {
  return countingRefusals(deps.rateLimits, async (request) => {
    const signedIn = await signedInOf(deps, request);
    if (signedIn === null) throw new AppError('session.missing');
    request.signedIn = signedIn;
  });
}

/** A hook that requires a session, and an app in `X-App-Id` in which the user has the role of the route. */
export function requireMember(deps: SessionDeps & { rateLimits: RateLimits }) {
  const bySession = requireSession(deps);
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    await bySession(request, reply);
    request.actor = await toActor(deps, request, request.signedIn);
  };
}

/** @throws AppError `request.invalid`, `app.not_found`, `role.too_low`. */
async function toActor({ db }: SessionDeps, request: FastifyRequest, { user }: SignedIn): Promise<Actor> {
  const appId = appIdOf(request);
  const role = await roleIn(db, appId, user);
  const needed = request.routeOptions.config.role ?? leastRoleOf(request.method);
  if (!mayAct(role, needed))
    throw new AppError('role.too_low', {
      message: `This needs the role ${needed} in the app, and you are ${role}. Ask an owner of the app.`,
    });
  return {
    appId,
    keyId: user.id,
    user: { id: user.id, email: user.email },
    role,
    mode: 'live',
    publishable: false,
  };
}

function leastRoleOf(method: string): Role {
  return method === 'GET' || method === 'HEAD' ? 'viewer' : 'owner';
}

function appIdOf({ headers, query, routeOptions }: FastifyRequest): string {
  const inQuery = routeOptions.config.appInQuery ? (query as { appId?: unknown }).appId : undefined;
  const appId = headers['x-app-id'] ?? inQuery;
  if (typeof appId !== 'string' || appId === '')
    throw new AppError('request.invalid', {
      message: 'The header X-App-Id is missing. Send the id of one of the apps that GET /v1/session lists.',
    });
  if (!isUuid(appId)) throw notFound();
  return appId.toLowerCase();
}

async function roleIn(db: Db, appId: string, { id, is_operator }: SignedIn['user']): Promise<Role> {
  const operator = async () => ((await hasApp(db, appId)) ? ('owner' as const) : null);
  const role = is_operator === 1 ? await operator() : await findRole(db, appId, id);
  if (role === null) throw notFound();
  return role;
}

function notFound(): AppError {
  return new AppError('app.not_found', {
    message:
      'There is no app with this id, or you are not a member of it. List your apps with GET /v1/session.',
  });
}
