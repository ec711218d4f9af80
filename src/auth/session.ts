import { hash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import type { FastifyRequest } from 'fastify';
import type { Config } from '../config.ts';
import type { Db, SessionsTable, UsersTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isoTime, MINUTE_MS } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { type Actor, mayAct, type Operator, type Role } from './actor.ts';
import { sessionTokenOf } from './cookie.ts';
import { findRole, findSession, hasApp, updateLastUse } from './queries.ts';

declare module 'fastify' {
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
/** Resolution of the time of last use. */
const LAST_USED_STEP_MS = MINUTE_MS;
/** `none` is a navigation by the user, such as a bookmark. */
const OWN_SITES: readonly unknown[] = ['same-origin', 'none', undefined];

/** The stored form of session, invitation and set-up tokens. A plain hash suffices: they have 256 random bits. */
export function hashToken(token: string): string {
  return hash('sha256', token, 'hex');
}

type SessionDeps = Pick<Foundation, 'db' | 'clock' | 'config' | 'log'>;

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

/** Refuses requests that a page of another origin caused. @throws AppError `session.cross_site`. */
export function refuseCrossSite(
  { publicUrl }: Pick<Config, 'publicUrl'>,
  headers: IncomingHttpHeaders,
): void {
  const { origin } = headers;
  const isOwn =
    OWN_SITES.includes(headers['sec-fetch-site']) &&
    (origin === undefined || origin === new URL(publicUrl).origin);
  if (!isOwn)
    throw new AppError('session.cross_site', {
      message: `A page of another origin made this request. Open the console at ${publicUrl}/console, or set PUBLIC_URL to the address in use.`,
    });
}

/** The user, who must be an operator. @throws AppError `role.too_low`. */
export function operatorBy({ user: { id, email, is_operator } }: SignedIn): Operator {
  if (is_operator !== 1)
    throw new AppError('role.too_low', {
      message: 'Only operators may do this, and you are none. Ask an operator of the service.',
    });
  return { user: { id, email } };
}

/**
 * The user as the secret live key of the app in `X-App-Id`, within the user's role there.
 * @throws AppError `request.invalid`, `app.not_found`, `role.too_low`.
 */
export async function memberBy(
  { db }: Pick<Foundation, 'db'>,
  request: FastifyRequest,
  { user }: SignedIn,
  needed: Role,
): Promise<Actor> {
  const appId = appIdOf(request);
  const role = await roleIn(db, appId, user);
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
