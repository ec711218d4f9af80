import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import { errorResponses } from '../server/schemas.ts';
import { changeOperator } from './operators.ts';
import { listUsers } from './queries.ts';
import { presentUser, SetupAddress, UpdateUser, User } from './schemas.ts';
import { makeSetupAddress } from './set-up.ts';

/** `/v1/admin/users`; the enclosing scope has found the operator. */
export const accountAdminRoutes: FastifyPluginAsyncTypebox<{ db: Db; clock: Clock; config: Config }> = async (
  api,
  deps,
) => {
  const { db } = deps;
  const common = { tags: ['Admin'], security: [{ adminToken: [] }] };
  api.get('/v1/admin/users', {
    schema: {
      ...common,
      operationId: 'listAllUsers',
      summary: 'List the users of all apps, by email',
      response: { 200: Type.Array(User), ...errorResponses(401, 503) },
    },
    handler: async () => (await listUsers(db)).map(presentUser),
  });
  api.patch('/v1/admin/users/:userId', {
    schema: {
      ...common,
      operationId: 'updateOperator',
      summary: 'Make a user an operator, or one no more',
      params: Type.Object({ userId: Type.String() }),
      body: UpdateUser,
      bodyExample: { isOperator: true },
      response: { 200: User, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 503) },
    },
    handler: async ({ params: { userId }, body: { isOperator } }) =>
      presentUser(await changeOperator(db, { userId, isOperator })),
  });
  api.post('/v1/admin/users/setup', {
    schema: {
      ...common,
      operationId: 'createSetupAddress',
      summary: 'Make the one-time address at which an operator is made; the one before becomes invalid',
      response: { 201: SetupAddress, ...errorResponses(401, 503) },
    },
    handler: async (_request, reply) => reply.code(201).send({ url: await makeSetupAddress(deps) }),
  });
};
