import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { listApps } from '../apps/index.ts';
import { recordServiceChange } from '../audit/index.ts';
import { deleteSession, deleteSessions, listSessions, SESSION_MS, sessionCookie } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import type { UserRow } from './account.ts';
import { deleteAccount, leaveApp } from './leave.ts';
import { listAppsOfUser } from './membership-queries.ts';
import { findUser } from './queries.ts';
import { ChangePassword, presentSession, presentSessionRecord, Session, SessionRecord } from './schemas.ts';
import { type AccountDeps, changePassword } from './sign-in.ts';

const tags = ['Accounts'];

/** The user's own sessions, password and memberships; the enclosing scope has found the user. */
export const sessionRoutes: FastifyPluginAsyncTypebox<AccountDeps> = async (api, deps) => {
  sessionRoute(api, deps);
  sessionsRoutes(api, deps);
  passwordRoute(api, deps);
  leavingRoutes(api, deps);
};

function sessionRoute(api: Api, deps: AccountDeps): void {
  const { db, config } = deps;
  api.get('/v1/session', {
    schema: {
      tags,
      operationId: 'readSession',
      summary: 'Read the user of the session and the user’s apps',
      response: { 200: Session, ...errorResponses(429, 503) },
    },
    handler: ({ signedIn }) => sessionOf(deps, signedIn.user),
  });
  api.delete('/v1/session', {
    schema: {
      tags,
      operationId: 'deleteSession',
      summary: 'Sign out',
      response: { 204: NoContent, ...errorResponses(429, 503) },
    },
    handler: async ({ signedIn: { user, session } }, reply) => {
      await deleteSession(db, user.id, session.id);
      return reply.code(204).header('set-cookie', sessionCookie(config, null)).send(null);
    },
  });
}

function sessionsRoutes(api: Api, deps: AccountDeps): void {
  const { db, clock } = deps;
  api.get('/v1/sessions', {
    schema: {
      tags,
      operationId: 'listSessions',
      summary: 'List the user’s own sessions, newest first',
      response: { 200: Type.Array(SessionRecord), ...errorResponses(429, 503) },
    },
    handler: async ({ signedIn: { user, session } }) => {
      const rows = await listSessions(db, user.id, isoTime(clock.nowMs() - SESSION_MS));
      return rows.map((row) => presentSessionRecord(row, session.id));
    },
  });
  api.delete('/v1/sessions', {
    schema: {
      tags,
      operationId: 'revokeOtherSessions',
      summary: 'End all of the user’s sessions but that of the request',
      response: { 204: NoContent, ...errorResponses(429, 503) },
    },
    handler: async ({ signedIn: { user, session } }, reply) => {
      await db.transaction().execute(async (tx) => {
        await deleteSessions(tx, user.id, session.id);
        await recordServiceChange(tx, deps, revocationBy(user));
      });
      return reply.code(204).send(null);
    },
  });
  api.delete('/v1/sessions/:sessionId', {
    schema: {
      tags,
      operationId: 'revokeSession',
      summary: 'End one of the user’s own sessions; it stops working everywhere at once',
      params: Type.Object({ sessionId: Type.String() }),
      response: { 204: NoContent, ...errorResponses(404, 429, 503) },
    },
    handler: async ({ signedIn: { user }, params: { sessionId } }, reply) => {
      if (!isUuid(sessionId)) throw new AppError('session.not_found');
      await db.transaction().execute(async (tx) => {
        if (!(await deleteSession(tx, user.id, sessionId.toLowerCase())))
          throw new AppError('session.not_found');
        await recordServiceChange(tx, deps, revocationBy(user));
      });
      return reply.code(204).send(null);
    },
  });
}

function revocationBy(user: UserRow) {
  return { action: 'session.revoked', by: { user }, recordId: user.id, email: user.email } as const;
}

function passwordRoute(api: Api, deps: AccountDeps): void {
  api.post('/v1/session/password', {
    schema: {
      tags,
      operationId: 'changePassword',
      summary: 'Change the password; the user’s other sessions end',
      body: ChangePassword,
      bodyExample: { current: 'correct horse battery', next: 'another long password' },
      response: { 204: NoContent, ...errorResponses(400, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { current, next } = request.body;
      await changePassword(deps, { request, reply }, { signedIn: request.signedIn, current, next });
      return reply.code(204).send(null);
    },
  });
}

function leavingRoutes(api: Api, deps: AccountDeps): void {
  const { config } = deps;
  api.delete('/v1/session/apps/:appId', {
    schema: {
      tags,
      operationId: 'leaveApp',
      summary:
        'Leave an app; an account without an app is deleted, unless it is an operator’s. The last owner stays',
      params: Type.Object({ appId: Type.String() }),
      response: { 204: NoContent, ...errorResponses(404, 409, 429, 503) },
    },
    handler: async ({ signedIn: { user }, params: { appId } }, reply) => {
      await leaveApp(deps, { user, appId });
      return reply.code(204).send(null);
    },
  });
  api.delete('/v1/session/user', {
    schema: {
      tags,
      operationId: 'deleteAccount',
      summary: 'Delete the user’s own account with its sessions and memberships',
      description:
        'Refused for the last owner of an app and for the last operator. Keys that the user made stay.',
      response: { 204: NoContent, ...errorResponses(409, 429, 503) },
    },
    handler: async ({ signedIn: { user } }, reply) => {
      await deleteAccount(deps, user);
      return reply.code(204).header('set-cookie', sessionCookie(config, null)).send(null);
    },
  });
}

/** Reads the user again: signing in has changed it. */
export async function sessionOf({ db }: Pick<Foundation, 'db'>, { id }: UserRow) {
  const user = await findUser(db, id);
  if (user === undefined) throw new AppError('session.missing');
  const apps =
    user.is_operator === 1
      ? (await listApps(db)).map((app) => ({ id: app.id, name: app.name, role: 'owner' as const }))
      : await listAppsOfUser(db, id);
  return presentSession(user, apps);
}
