import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { byApp } from '../auth/index.ts';
import type { Foundation } from '../foundation.ts';
import { errorResponses, Named } from '../server/schemas.ts';
import { NONCE_PATTERN, PROOF_PATH, proofOf } from './look/reach.ts';
import { Host, presentHost } from './schemas.ts';
import type { HostWatch } from './watch.ts';

const common = { tags: ['Hosts'] };

/** `/v1/hosts`: what is known of the host of the app’s short links. */
export const hostRoutes: FastifyPluginAsyncTypebox<
  Pick<Foundation, 'clock'> & { readonly hostWatch: HostWatch }
> = async (api, { clock, hostWatch }) => {
  api.get('/v1/hosts', {
    schema: {
      ...common,
      operationId: 'listHosts',
      summary: 'List the hosts of the app’s short links, with what the last look found',
      description: 'An app has one host: its own, or the one that all apps share.',
      response: { 200: Type.Array(Host), ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => [presentHost(await hostWatch.read(actor.appId), clock.nowMs())],
  });

  api.post('/v1/hosts/check', {
    config: { key: 'live', role: 'editor', rateLimit: byApp('host-checks', 6) },
    schema: {
      ...common,
      operationId: 'checkHosts',
      summary: 'Look at the hosts of the app’s short links now',
      description:
        'Answers once all who were asked have answered, within a minute or so. What was asked within the last minute is not asked again.',
      response: { 200: Type.Array(Host), ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => [presentHost(await hostWatch.check(actor.appId), clock.nowMs())],
  });
};

/** By which this service finds out whether requests to a host arrive here, behind whatever proxies. */
export const proofRoute: FastifyPluginAsyncTypebox<Pick<Foundation, 'secrets'>> = async (
  api,
  { secrets },
) => {
  api.get(PROOF_PATH, {
    schema: {
      ...common,
      operationId: 'proveHost',
      summary: 'Prove that a request to a host arrives at this service',
      querystring: Type.Object({ nonce: Type.String({ pattern: NONCE_PATTERN }) }),
      response: { 200: Named('HostProof', { proof: Type.String() }), ...errorResponses(400) },
    },
    handler: async ({ query: { nonce } }, reply) =>
      reply.header('cache-control', 'no-store').send({ proof: proofOf(secrets, nonce) }),
  });
};
