import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { operatorOf } from '../auth/index.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { DeletionDeps } from './delete-installs.ts';
import { deleteInstall, deleteMatching } from './request-deletion.ts';
import { DeleteInstalls, InstallsDeleted } from './schemas.ts';

const summary = 'Delete forged installs with their opens and events';
const DELETION_EXAMPLE = {
  from: '2026-01-31T00:00:00Z',
  to: '2026-02-01T00:00:00Z',
  shortCode: 'spring-shoes',
  dryRun: true,
};
const DESCRIPTION =
  'Deletes at most 1,000 installs, and some 5,000 opens and events; repeat the request until `isComplete` is true. An install must match all given fields.';

/** `DELETE /v1/installs/{installId}`, and `POST /v1/installs/deletions`. */
export const installDeletionRoutes: FastifyPluginAsyncTypebox<DeletionDeps> = async (api, deps) => {
  const common = { tags: ['Installs'], security: [{ apiKey: [] }] };

  api.delete('/v1/installs/:installId', {
    schema: {
      ...common,
      operationId: 'deleteInstall',
      summary: 'Delete an install with its opens and events; the click it claimed can be claimed again',
      params: Type.Object({ installId: Type.String() }),
      response: { 204: NoContent, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params }, reply) => {
      await deleteInstall(deps, { actor, installId: params.installId });
      return reply.code(204).send(null);
    },
  });
  api.post('/v1/installs/deletions', {
    schema: {
      ...common,
      operationId: 'deleteInstalls',
      summary,
      description: DESCRIPTION,
      body: DeleteInstalls,
      bodyExample: DELETION_EXAMPLE,
      response: { 200: InstallsDeleted, ...errorResponses(400, 401, 404, 413, 415, 429, 503) },
    },
    handler: ({ actor, body }) => deleteMatching(deps, { actor, input: body }),
  });
};

/** The same for the operator; the enclosing scope has found the operator. */
export const installAdminRoutes: FastifyPluginAsyncTypebox<DeletionDeps> = async (api, deps) => {
  api.post('/v1/admin/apps/:appId/installs/deletions', {
    schema: {
      operationId: 'deleteInstallsOfApp',
      tags: ['Admin'],
      security: [{ adminToken: [] }],
      summary,
      description: DESCRIPTION,
      params: Type.Object({ appId: Type.String() }),
      body: DeleteInstalls,
      bodyExample: DELETION_EXAMPLE,
      response: { 200: InstallsDeleted, ...errorResponses(400, 401, 404, 413, 415, 503) },
    },
    handler: async ({ params, body, operator }) =>
      deleteMatching(deps, { actor: await operatorOf(deps.db, params.appId, operator), input: body }),
  });
};
