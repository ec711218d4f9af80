import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { flowCookie, flowOf } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import { errorResponses, Text } from '../server/schemas.ts';
import { SIGN_IN_LIMIT } from './attempts.ts';
import { consolePage } from './console-page.ts';
import type { Oidc } from './oidc.ts';
import { type AccountDeps, startSession } from './sign-in.ts';
import { type OidcRefusal, userOfIdentity } from './sign-in-by-oidc.ts';

/** Short enough for the cookie that carries it to the return. */
const ConsolePage = Text('^/[!-~]{0,1023}$', 'the path of a page below /console, such as /APP_ID/installs');

const schema = {
  tags: ['Accounts'],
  response: {
    302: Type.Null({ description: 'To the provider, or to the console' }),
    ...errorResponses(400, 404, 429, 503),
  },
};

/** The two steps of OpenID Connect in a browser. No session is read, so requests from the provider's site are fine. */
export const oidcRoutes: FastifyPluginAsyncTypebox<AccountDeps & { oidc: Oidc | null }> = async (
  api,
  { oidc, ...deps },
) => {
  const { config, log, rateLimits } = deps;
  const refused = (code: OidcRefusal, next = '/') =>
    `${config.publicUrl}/console/?error=${code}${next === '/' ? '' : `&next=${encodeURIComponent(next)}`}`;
  const requireOidc = (): Oidc => {
    if (oidc === null) throw new AppError('oidc.off');
    return oidc;
  };
  const failed = (error: unknown): OidcRefusal => {
    // Without its cause, which has the code and the state.
    const { message, code } = error as Error & { code?: unknown };
    log.warn({ reason: message, code }, 'A sign-in by OpenID Connect failed');
    return 'oidc.failed';
  };
  api.addHook('onRequest', rateLimits.hook(SIGN_IN_LIMIT));

  api.get('/v1/session/oidc', {
    exposeHeadRoute: false,
    schema: {
      ...schema,
      operationId: 'beginOidcSignIn',
      summary: 'Sign in by OpenID Connect, in a browser: redirects to the provider',
      querystring: Type.Object({ next: Type.Optional(ConsolePage) }),
    },
    handler: async ({ query: { next = '/' } }, reply) => {
      const begun = await requireOidc().begin(next).catch(failed);
      if (typeof begun === 'string') return reply.redirect(refused(begun));
      return reply.header('set-cookie', flowCookie(config, begun.flow)).redirect(begun.address);
    },
  });
  api.get('/v1/session/oidc/callback', {
    exposeHeadRoute: false,
    schema: {
      ...schema,
      operationId: 'finishOidcSignIn',
      summary: 'Return from the provider: sets the session cookie and redirects to the console',
    },
    handler: async (request, reply) => {
      const query = request.url.split('?', 2)[1] ?? '';
      const done = await requireOidc().finish(query, flowOf(config, request.headers.cookie)).catch(failed);
      reply.header('set-cookie', flowCookie(config, null));
      if (typeof done === 'string') return reply.redirect(refused(done));
      const user = await userOfIdentity(deps, done.identity);
      if (typeof user === 'string') return reply.redirect(refused(user, done.next));
      await startSession(deps, { request, reply }, user, 'oidc');
      return reply.redirect(consolePage(config.publicUrl, done.next));
    },
  });
};
