import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import {
  type AttributionAnswer,
  AttributionResult,
  addBatchRoute,
  FINGERPRINT_EXAMPLE,
  type RecordingDeps,
} from '../attribution/index.ts';
import { operatorOf } from '../auth/index.ts';
import type { Foundation } from '../foundation.ts';
import { dropWrongExtras, withoutWrongExtras } from '../networks/index.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { DeletionDeps } from './delete-installs.ts';
import { explainInstall, readInstall } from './read-install.ts';
import { recordInstall } from './record-install.ts';
import { deleteInstall, deleteMatching } from './request-deletion.ts';
import {
  DeleteInstalls,
  Install,
  InstallExplanation,
  InstallsDeleted,
  presentInstall,
  RecordInstall,
  type RecordInstallInput,
} from './schemas.ts';

/** `POST /v1/sdk/install` and `installs`, and `GET /v1/sdk/installs/{installId}/explanation`. */
export const installSdkRoutes: FastifyPluginAsyncTypebox<{ recording: RecordingDeps }> = async (
  api,
  { recording },
) => {
  const common = { tags: ['SDK'] };

  api.post('/v1/sdk/install', {
    preValidation: withoutWrongExtras,
    schema: {
      ...common,
      operationId: 'recordInstall',
      summary: 'Record an install',
      body: RecordInstall,
      bodyExample: {
        fingerprint: FINGERPRINT_EXAMPLE,
        installId: '01985f2e-7a34-7c1b-9d2e-3f4a5b6c7d8e',
        debugBuild: false,
      },
      response: { 200: AttributionResult, ...errorResponses(400, 401, 404, 409, 413, 415, 429, 503) },
    },
    handler: ({ actor, ip, body }) => recordInstall(recording, { actor, connectionAddress: ip, call: body }),
  });
  addBatchRoute<RecordInstallInput, AttributionAnswer>(api, recording, {
    kind: 'install',
    summary: 'Record up to 100 installs; an invalid one does not fail the others',
    call: RecordInstall,
    answer: AttributionResult,
    clean: dropWrongExtras,
    installOf: () => null,
    record: (sending) => recordInstall(recording, sending),
  });
  api.get('/v1/sdk/installs/:installId/explanation', {
    config: { key: 'test' },
    schema: {
      ...common,
      operationId: 'explainInstall',
      summary: 'Explain why a sandbox install has its click, or none; with a test key only',
      params: Type.Object({ installId: Type.String() }),
      response: { 200: InstallExplanation, ...errorResponses(401, 404, 429, 503) },
    },
    handler: ({ actor, params }) => explainInstall(recording, { actor, installId: params.installId }),
  });
};

/** `GET /v1/installs/{installId}`. */
export const readInstallRoute: FastifyPluginAsyncTypebox<Pick<Foundation, 'db'>> = async (api, { db }) => {
  api.get('/v1/installs/:installId', {
    schema: {
      operationId: 'readInstall',
      tags: ['Installs'],
      summary: 'Read an install and its opens, with the reasons of their attribution',
      params: Type.Object({ installId: Type.String() }),
      response: { 200: Install, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params }) =>
      presentInstall(await readInstall(db, { actor, installId: params.installId })),
  });
};

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
  const common = { tags: ['Installs'] };

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
