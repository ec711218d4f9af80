import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { errorResponses, NoContent } from '../server/schemas.ts';
import { deleteAccount } from './leave.ts';
import { changeDisabled, changeOperator, requireUser } from './operators.ts';
import { makeResetAddress } from './password-resets.ts';
import { listUsers } from './queries.ts';
import {
  CreateSetupAddress,
  PasswordResetAddress,
  presentUser,
  SetupAddress,
  UpdateUser,
  User,
} from './schemas.ts';
import { giveSetupAddress } from './set-up.ts';
import type { AccountDeps } from './sign-in.ts';

/** `/v1/admin/users`; the enclosing scope has found the operator. */
export const accountAdminRoutes: FastifyPluginAsyncTypebox<
  Pick<AccountDeps, 'db' | 'clock' | 'ids' | 'config' | 'mailer'>
> = async (api, deps) => {
  const { db } = deps;
  const common = { tags: ['Admin'] };
  api.get('/v1/admin/users', {
    schema: {
      ...common,
      operationId: 'listAllUsers',
      summary: 'List the users of all apps, by email',
      response: { 200: Type.Array(User), ...errorResponses(503) },
    },
    handler: async () => (await listUsers(db)).map(presentUser),
  });
  api.patch('/v1/admin/users/:userId', {
    schema: {
      ...common,
      operationId: 'updateOperator',
      summary: 'Make a user with a proven email an operator or one no more, or keep a user from signing in',
      params: Type.Object({ userId: Type.String() }),
      body: UpdateUser,
      bodyExample: { isOperator: true },
      response: { 200: User, ...errorResponses(400, 404, 409, 413, 415, 429, 503) },
    },
    handler: async ({ params: { userId }, body: { isOperator, isDisabled }, operator: by }) => {
      let user = await requireUser(db, userId);
      if (isDisabled !== undefined) user = await changeDisabled(deps, { userId, isDisabled, by });
      if (isOperator !== undefined) user = await changeOperator(deps, { userId, isOperator, by });
      return presentUser(user);
    },
  });
  api.delete('/v1/admin/users/:userId', {
    schema: {
      ...common,
      operationId: 'deleteUser',
      summary: 'Delete a user with the sessions and memberships; keys that the user made stay',
      params: Type.Object({ userId: Type.String() }),
      response: { 204: NoContent, ...errorResponses(404, 409, 429, 503) },
    },
    handler: async ({ params: { userId }, operator: by }, reply) => {
      await deleteAccount(deps, await requireUser(db, userId), by);
      return reply.code(204).send(null);
    },
  });
  api.post('/v1/admin/users/setup', {
    schema: {
      ...common,
      operationId: 'createSetupAddress',
      summary: 'Make the one-time address at which an operator is made; the one before becomes invalid',
      body: CreateSetupAddress,
      bodyExample: { email: 'ada@example.com' },
      response: { 201: SetupAddress, ...errorResponses(400, 404, 413, 415, 429, 502, 503) },
    },
    // The command line sends no body.
    preValidation: (request, _reply, done) => {
      if (request.body === undefined) request.body = {};
      done();
    },
    handler: async ({ operator: by, body: { email = null } }, reply) =>
      reply.code(201).send({ url: await giveSetupAddress(deps, { by, email }) }),
  });
  api.post('/v1/admin/users/:userId/password-reset', {
    schema: {
      ...common,
      operationId: 'createPasswordResetAddress',
      summary: 'Make a one-time address at which a user chooses a new password',
      params: Type.Object({ userId: Type.String() }),
      response: { 201: PasswordResetAddress, ...errorResponses(404, 503) },
    },
    handler: async ({ operator: by, params: { userId } }, reply) =>
      reply.code(201).send({ url: await makeResetAddress(deps, { userId, by }) }),
  });
};
