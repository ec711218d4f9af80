import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { createKey, revokeKey } from './keys.ts';
import { authorOf } from './operator.ts';
import { findApp, findKey, listKeys } from './queries.ts';
import type { AdminDeps } from './routes.ts';
import { App, CreateKey, Key, NewKey, presentApp, presentKey, UpdateApp } from './schemas.ts';
import { updateApp } from './update-app.ts';

const common = { tags: ['Accounts'], security: [{ session: [] }] };
const config = { role: 'owner' } as const;
const read = errorResponses(400, 401, 403, 404, 429, 503);
const write = errorResponses(400, 401, 403, 404, 413, 415, 429, 503);

/** `/v1/app` and `/v1/keys`: the app of the session and its keys. */
export const ownAppRoutes: FastifyPluginAsyncTypebox<AdminDeps> = async (api, deps) => {
  appRoutes(api, deps);
  keyRoutes(api, deps);
};

function appRoutes(api: Api, deps: AdminDeps): void {
  api.get('/v1/app', {
    schema: {
      ...common,
      operationId: 'readOwnApp',
      summary: 'Read the app of the session',
      response: { 200: App, ...read },
    },
    handler: async ({ actor }) => {
      const app = await findApp(deps.db, actor.appId);
      if (app === undefined) throw new AppError('app.not_found');
      return presentApp(app);
    },
  });
  api.patch('/v1/app', {
    config,
    schema: {
      ...common,
      operationId: 'updateOwnApp',
      summary: 'Change the app of the session; only included fields change',
      body: UpdateApp,
      bodyExample: { landingPage: 'always', fingerprintWindowHours: 24 },
      response: { 200: App, ...errorResponses(409), ...write },
    },
    handler: async ({ actor, body: changes }) => {
      const app = await updateApp(deps, {
        appId: actor.appId,
        changes,
        by: authorOf(actor),
        mayRaiseBounds: false,
      });
      deps.appDirectory.forget(actor.appId);
      await deps.hostDirectory.refresh();
      return presentApp(app);
    },
  });
}

function keyRoutes(api: Api, deps: AdminDeps): void {
  api.get('/v1/keys', {
    config,
    schema: {
      ...common,
      operationId: 'listOwnKeys',
      summary: 'List the keys of the session’s app, newest first',
      response: { 200: Type.Array(Key), ...read },
    },
    handler: async ({ actor }) => (await listKeys(deps.db, actor.appId)).map(presentKey),
  });
  api.post('/v1/keys', {
    config,
    schema: {
      ...common,
      operationId: 'createOwnKey',
      summary: 'Create a key for the session’s app; only this response contains it',
      body: CreateKey,
      bodyExample: { kind: 'live' },
      response: { 201: NewKey, ...write },
    },
    handler: async ({ actor, body: { kind } }, reply) => {
      const { row, key } = await createKey(deps, { appId: actor.appId, kind, by: authorOf(actor) });
      return reply.code(201).send({ ...presentKey(row), key });
    },
  });
  api.delete('/v1/keys/:keyId', {
    config,
    schema: {
      ...common,
      operationId: 'revokeOwnKey',
      summary: 'Revoke a key of the session’s app; it stops working everywhere within 5 seconds',
      params: Type.Object({ keyId: Type.String() }),
      response: { 204: NoContent, ...read },
    },
    handler: async ({ actor, params: { keyId } }, reply) => {
      const key = isUuid(keyId) ? await findKey(deps.db, actor.appId, keyId.toLowerCase()) : undefined;
      if (key === undefined)
        throw new AppError('key.not_found', {
          message: 'There is no key with this id for this app. List its keys with GET /v1/keys.',
        });
      await revokeKey(deps, { appId: key.app_id, keyId: key.id, by: authorOf(actor) });
      return reply.code(204).send(null);
    },
  });
}
