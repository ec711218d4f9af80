import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { errorResponses } from '../server/schemas.ts';
import { SetupAddress } from './schemas.ts';
import { makeSetupAddress } from './set-up.ts';

/** `POST /v1/admin/users/setup`; the enclosing scope has checked the admin token. */
export const accountAdminRoutes: FastifyPluginAsyncTypebox<{ db: Db; clock: Clock; config: Config }> = async (
  api,
  deps,
) => {
  api.post('/v1/admin/users/setup', {
    schema: {
      tags: ['Admin'],
      security: [{ adminToken: [] }],
      operationId: 'createSetupAddress',
      summary: 'Make the one-time address at which an operator is made; the one before becomes invalid',
      response: { 201: SetupAddress, ...errorResponses(401, 503) },
    },
    handler: async (_request, reply) => reply.code(201).send({ url: await makeSetupAddress(deps) }),
  });
};
