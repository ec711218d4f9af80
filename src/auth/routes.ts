import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { type Static, Type } from 'typebox';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { KeyRing } from './key-ring.ts';
import { createKey, revokeKey } from './keys.ts';
import { authorOf, existingAppId } from './operator.ts';
import { findKey, listKeys } from './queries.ts';
import { CreateKey, Key, NewKey, presentKey } from './schemas.ts';

type KeyDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config'> & { readonly keyRing: KeyRing };

const AppParams = Type.Object({ appId: Type.String() });
const KeyParams = Type.Object({ appId: Type.String(), keyId: Type.String() });

const common = { tags: ['Admin'], security: [{ adminToken: [] }] };
const read = errorResponses(401, 404, 503);
const write = errorResponses(400, 401, 404, 413, 415, 429, 503);

/** `/v1/admin/apps/{appId}/keys`; the enclosing scope has found the operator. */
export const keyAdminRoutes: FastifyPluginAsyncTypebox<KeyDeps> = async (
  api,
  { db, clock, ids, config, keyRing },
) => {
  api.post('/v1/admin/apps/:appId/keys', {
    schema: {
      ...common,
      operationId: 'createKey',
      summary: 'Create a key; only this response contains it',
      params: AppParams,
      body: CreateKey,
      bodyExample: { kind: 'live' },
      response: { 201: NewKey, ...write },
    },
    handler: async (request, reply) => {
      const appId = await existingAppId(db, request.params.appId);
      const { row, key } = await createKey(
        { db, clock, ids, config },
        { appId, kind: request.body.kind, by: request.operator },
      );
      return reply.code(201).send({ ...presentKey(row), key });
    },
  });
  api.get('/v1/admin/apps/:appId/keys', {
    schema: {
      ...common,
      operationId: 'listKeys',
      summary: 'List an app’s keys, newest first',
      params: AppParams,
      response: { 200: Type.Array(Key), ...read },
    },
    handler: async (request) =>
      (await listKeys(db, await existingAppId(db, request.params.appId))).map(presentKey),
  });
  api.get('/v1/admin/apps/:appId/keys/:keyId', {
    schema: {
      ...common,
      operationId: 'readKey',
      summary: 'Read a key, without the key itself',
      params: KeyParams,
      response: { 200: Key, ...read },
    },
    handler: async (request) => {
      const { appId, keyId } = checkIds(request.params);
      const row = await findKey(db, appId, keyId);
      if (row === undefined) throw new AppError('key.not_found');
      return presentKey(row);
    },
  });
  api.delete('/v1/admin/apps/:appId/keys/:keyId', {
    schema: {
      ...common,
      operationId: 'revokeKey',
      summary: 'Revoke a key; it stops working everywhere within 5 seconds',
      params: KeyParams,
      response: { 204: NoContent, ...read },
    },
    handler: async (request, reply) => {
      await revokeKey(
        { db, clock, ids, keyRing },
        {
          ...checkIds(request.params),
          by: request.operator,
        },
      );
      return reply.code(204).send(null);
    },
  });
};

function checkIds(params: Static<typeof KeyParams>): Static<typeof KeyParams> {
  if (!isUuid(params.appId) || !isUuid(params.keyId)) throw new AppError('key.not_found');
  return { appId: params.appId.toLowerCase(), keyId: params.keyId.toLowerCase() };
}
const OWNER = { role: 'owner' } as const;
const ownCommon = { tags: ['Accounts'], security: [{ session: [] }] };
const ownRead = errorResponses(400, 401, 403, 404, 429, 503);
const ownWrite = errorResponses(400, 401, 403, 404, 413, 415, 429, 503);

/** `/v1/keys`: the keys of the session's app. */
export const ownKeyRoutes: FastifyPluginAsyncTypebox<KeyDeps> = async (api, deps) => {
  api.get('/v1/keys', {
    config: OWNER,
    schema: {
      ...ownCommon,
      operationId: 'listOwnKeys',
      summary: 'List the keys of the session’s app, newest first',
      response: { 200: Type.Array(Key), ...ownRead },
    },
    handler: async ({ actor }) => (await listKeys(deps.db, actor.appId)).map(presentKey),
  });
  api.post('/v1/keys', {
    config: OWNER,
    schema: {
      ...ownCommon,
      operationId: 'createOwnKey',
      summary: 'Create a key for the session’s app; only this response contains it',
      body: CreateKey,
      bodyExample: { kind: 'live' },
      response: { 201: NewKey, ...ownWrite },
    },
    handler: async ({ actor, body: { kind } }, reply) => {
      const { row, key } = await createKey(deps, { appId: actor.appId, kind, by: authorOf(actor) });
      return reply.code(201).send({ ...presentKey(row), key });
    },
  });
  api.delete('/v1/keys/:keyId', {
    config: OWNER,
    schema: {
      ...ownCommon,
      operationId: 'revokeOwnKey',
      summary: 'Revoke a key of the session’s app; it stops working everywhere within 5 seconds',
      params: Type.Object({ keyId: Type.String() }),
      response: { 204: NoContent, ...ownRead },
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
};
