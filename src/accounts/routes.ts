import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Auth, refuseCrossSite, signedInOf } from '../auth/index.ts';
import type { RateLimit } from '../server/rate-limit.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { SIGN_IN_LIMIT } from './attempts.ts';
import { acceptInvitation, openInvitation } from './invitations.ts';
import { requestPasswordReset, resetPassword } from './password-resets.ts';
import { hasUsers } from './queries.ts';
import {
  AcceptInvitation,
  OpenedInvitation,
  PasswordResetRequested,
  presentOpened,
  ReadInvitation,
  RequestPasswordReset,
  ResetPassword,
  Session,
  SessionOptions,
  SetUp,
  SignIn,
} from './schemas.ts';
import { sessionOf, sessionRoutes } from './session-routes.ts';
import { setUp } from './set-up.ts';
import { type AccountDeps, signIn, startSession } from './sign-in.ts';

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
    setUpRoute(open, deps);
    invitationRoutes(open, deps);
    passwordResetRoutes(open, deps);
  });
  await api.register(async (own: Api) => {
    deps.auth.guard(own, { session: 'user' });
    own.addHook('onRequest', rateLimits.hook(SESSION_LIMIT));
    await own.register(sessionRoutes, deps);
  });
};

function optionsRoute(api: Api, { db, config, mailer }: AccountDeps): void {
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
      mail: mailer !== null,
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

function setUpRoute(api: Api, deps: AccountDeps): void {
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
}

/** For who holds the token of an invitation. */
function invitationRoutes(api: Api, deps: AccountDeps): void {
  api.post('/v1/invitations/read', {
    schema: {
      tags,
      operationId: 'readInvitation',
      summary: 'Read the invitation of a one-time address: to which app, by whom, in which role',
      body: ReadInvitation,
      bodyExample: { token: 'the text after # in the address' },
      response: { 200: OpenedInvitation, ...errorResponses(400, 403, 404, 413, 415, 429, 503) },
    },
    handler: async ({ body: { token } }) => {
      const { row, ...opened } = await openInvitation(deps, token);
      return presentOpened(row, opened);
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
