import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { listApps } from '../apps/index.ts';
import { recordServiceChange } from '../audit/index.ts';
import {
  type Auth,
  deleteSession,
  listSessions,
  refuseCrossSite,
  SESSION_MS,
  sessionCookie,
  signedInOf,
} from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import { isUuid } from '../lib/ids.ts';
import type { RateLimit } from '../server/rate-limit.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import type { UserRow } from './account.ts';
import { SIGN_IN_LIMIT } from './attempts.ts';
import { acceptInvitation } from './invitations.ts';
import { listAppsOfUser } from './membership-queries.ts';
import { requestPasswordReset, resetPassword } from './password-resets.ts';
import { findUser, hasUsers } from './queries.ts';
import {
  AcceptInvitation,
  ChangePassword,
  PasswordResetRequested,
  presentSession,
  presentSessionRecord,
  RequestPasswordReset,
  ResetPassword,
  Session,
  SessionOptions,
  SessionRecord,
  SetUp,
  SignIn,
} from './schemas.ts';
import { setUp } from './set-up.ts';
import { type AccountDeps, changePassword, signIn, startSession } from './sign-in.ts';

const OPTIONS_LIMIT: RateLimit = {
  name: 'session-options',
  points: 120,
  shared: false,
  countedBy: 'address',
};
const SESSION_LIMIT: RateLimit = {
  name: 'session',
  points: 600,
  shared: false,
  countedBy: ({ signedIn }) => signedIn.user.id,
};

const tags = ['Accounts'];
const EMAIL = 'ada@example.com';
const PASSWORD = 'correct horse battery';

/** Sessions, the set-up and accepted invitations: for the console. */
export const accountRoutes: FastifyPluginAsyncTypebox<AccountDeps & { readonly auth: Auth }> = async (
  api,
  deps,
) => {
  const { rateLimits, config } = deps;
  await api.register(async (open: Api) => {
    open.addHook('onRequest', async ({ headers }) => refuseCrossSite(config, headers));
    open.addHook('onRequest', rateLimits.hook(SIGN_IN_LIMIT));
    optionsRoute(open, deps);
    signInRoute(open, deps);
    tokenRoutes(open, deps);
    passwordResetRoutes(open, deps);
  });
  await api.register(async (own: Api) => {
    deps.auth.guard(own, { session: 'user' });
    own.addHook('onRequest', rateLimits.hook(SESSION_LIMIT));
    sessionRoutes(own, deps);
    passwordRoute(own, deps);
  });
};

function optionsRoute(api: Api, { db, config }: AccountDeps): void {
  api.get('/v1/session/options', {
    config: { rateLimit: OPTIONS_LIMIT },
    schema: {
      tags,
      operationId: 'readSessionOptions',
      summary: 'How users sign in',
      response: { 200: SessionOptions, ...errorResponses(403, 429, 503) },
    },
    handler: async () => ({
      password: true,
      oidc: config.oidc === null ? null : { name: new URL(config.oidc.issuer).hostname },
      setupNeeded: !(await hasUsers(db)),
    }),
  });
}

function signInRoute(api: Api, deps: AccountDeps): void {
  api.post('/v1/session', {
    schema: {
      tags,
      operationId: 'createSession',
      summary: 'Sign in with email and password; sets the session cookie',
      body: SignIn,
      bodyExample: { email: EMAIL, password: PASSWORD },
      response: { 200: Session, ...errorResponses(400, 401, 403, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => sessionOf(deps, await signIn(deps, { request, reply }, request.body)),
  });
}

/** With a token of a one-time address. */
function tokenRoutes(api: Api, deps: AccountDeps): void {
  api.post('/v1/setup', {
    schema: {
      tags,
      operationId: 'setUp',
      summary: 'Make an operator with the one-time address of the set-up; sets the session cookie',
      body: SetUp,
      bodyExample: {
        token: 'the text after # in the address',
        email: EMAIL,
        name: 'Ada',
        password: PASSWORD,
      },
      response: { 201: Session, ...errorResponses(400, 403, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const user = await setUp(deps, { request, reply }, request.body);
      await startSession(deps, { request, reply }, user);
      return reply.code(201).send(await sessionOf(deps, user));
    },
  });
  api.post('/v1/invitations/accept', {
    schema: {
      tags,
      operationId: 'acceptInvitation',
      summary: 'Join an app, as the user of the session or as a new user; sets the session cookie',
      body: AcceptInvitation,
      bodyExample: { token: 'the text after # in the address', name: 'Ada', password: PASSWORD },
      response: { 200: Session, ...errorResponses(400, 401, 403, 404, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const signedIn = await signedInOf(deps, request);
      const user = await acceptInvitation(
        deps,
        { request, reply },
        { ...request.body, user: signedIn?.user ?? null },
      );
      if (signedIn === null) await startSession(deps, { request, reply }, user);
      return await sessionOf(deps, user);
    },
  });
}

function passwordResetRoutes(api: Api, deps: AccountDeps): void {
  api.post('/v1/password-resets', {
    schema: {
      tags,
      operationId: 'requestPasswordReset',
      summary: 'Mail the user with this email an address for a new password',
      description: 'The response is the same for an email that nobody has.',
      body: RequestPasswordReset,
      bodyExample: { email: EMAIL },
      response: { 202: PasswordResetRequested, ...errorResponses(400, 403, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const mailed = await requestPasswordReset(deps, { request, reply }, request.body.email);
      return reply.code(202).send({ mailed });
    },
  });
  api.post('/v1/password-resets/use', {
    schema: {
      tags,
      operationId: 'resetPassword',
      summary: 'Choose a new password with a one-time address; ends all sessions and sets the session cookie',
      body: ResetPassword,
      bodyExample: { token: 'the text after # in the address', password: PASSWORD },
      response: { 200: Session, ...errorResponses(400, 403, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const user = await resetPassword(deps, { request, reply }, request.body);
      await startSession(deps, { request, reply }, user);
      return await sessionOf(deps, user);
    },
  });
}

function sessionRoutes(api: Api, deps: AccountDeps): void {
  const { db, clock, config } = deps;
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
        const change = { by: { user }, recordId: user.id, email: user.email };
        await recordServiceChange(tx, deps, { ...change, action: 'session.revoked' });
      });
      return reply.code(204).send(null);
    },
  });
}

function passwordRoute(api: Api, deps: AccountDeps): void {
  api.post('/v1/session/password', {
    schema: {
      tags,
      operationId: 'changePassword',
      summary: 'Change the password; the user’s other sessions end',
      body: ChangePassword,
      bodyExample: { current: PASSWORD, next: 'another long password' },
      response: { 204: NoContent, ...errorResponses(400, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { current, next } = request.body;
      await changePassword(deps, { request, reply }, { signedIn: request.signedIn, current, next });
      return reply.code(204).send(null);
    },
  });
}

/** Reads the user again: signing in has changed it. */
async function sessionOf({ db }: Pick<Foundation, 'db'>, { id }: UserRow) {
  const user = await findUser(db, id);
  if (user === undefined) throw new AppError('session.missing');
  const apps =
    user.is_operator === 1
      ? (await listApps(db)).map((app) => ({ id: app.id, name: app.name, role: 'owner' as const }))
      : await listAppsOfUser(db, id);
  return presentSession(user, apps);
}
