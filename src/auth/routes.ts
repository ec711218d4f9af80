import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import type { FastifyContextConfig, FastifyRequest } from 'fastify';
import { type TProperties, Type } from 'typebox';
import type { ChangedBy } from '../audit/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import { authorOf, existingAppId } from './actor.ts';
import { rotateKey, updateKey } from './change-key.ts';
import type { KeyRing } from './key-ring.ts';
import { createKey, readKey, revokeKey } from './keys.ts';
import { listKeys } from './queries.ts';
import { CreateKey, Key, NewKey, presentKey, RotatedKey, RotateKey, UpdateKey } from './schemas.ts';

type KeyDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config'> & { readonly keyRing: KeyRing };

/** What differs between the keys of a session's app and those of the operator. */
interface Scope {
  readonly path: string;
  readonly tag: string;
  readonly of: string;
  readonly config: FastifyContextConfig;
  readonly params: TProperties;
  /** `listKeys` becomes `listOwnKeys`. */
  idOf(operation: string): string;
  callerOf(request: FastifyRequest): Promise<{ appId: string; by: ChangedBy }>;
}

/** `/v1/admin/apps/{appId}/keys`; the enclosing scope has found the operator. */
export const keyAdminRoutes: FastifyPluginAsyncTypebox<KeyDeps> = async (api, deps) =>
  addKeyRoutes(api, deps, {
    path: '/v1/admin/apps/:appId/keys',
    tag: 'Admin',
    of: 'an app',
    config: {},
    params: { appId: Type.String() },
    idOf: (operation) => operation,
    callerOf: async ({ params, operator }) => {
      const appId = await existingAppId(deps.db, (params as { appId: string }).appId);
      return { appId, by: operator };
    },
  });

/** `/v1/keys`: the keys of the session's app. */
export const ownKeyRoutes: FastifyPluginAsyncTypebox<KeyDeps> = async (api, deps) =>
  addKeyRoutes(api, deps, {
    path: '/v1/keys',
    tag: 'Accounts',
    of: 'the session’s app',
    config: { role: 'owner' },
    params: {},
    idOf: (operation) => operation.replace('Key', 'OwnKey'),
    callerOf: async ({ actor }) => ({ appId: actor.appId, by: authorOf(actor) }),
  });

const read = errorResponses(400, 404, 429, 503);
const write = errorResponses(400, 404, 413, 415, 429, 503);
const change = errorResponses(400, 404, 409, 413, 415, 429, 503);

function addKeyRoutes(api: Api, deps: KeyDeps, scope: Scope): void {
  addCollection(api, deps, scope);
  addItem(api, deps, scope);
  addRotation(api, deps, scope);
}

function addCollection(api: Api, deps: KeyDeps, scope: Scope): void {
  const common = { tags: [scope.tag], params: Type.Object(scope.params) };
  api.get(scope.path, {
    config: scope.config,
    schema: {
      ...common,
      operationId: scope.idOf('listKeys'),
      summary: `List the keys of ${scope.of}, newest first`,
      response: { 200: Type.Array(Key), ...read },
    },
    handler: async (request) =>
      (await listKeys(deps.db, (await scope.callerOf(request)).appId)).map(presentKey),
  });
  api.post(scope.path, {
    config: scope.config,
    schema: {
      ...common,
      operationId: scope.idOf('createKey'),
      summary: `Create a key of ${scope.of}; only this response contains a secret one`,
      body: CreateKey,
      bodyExample: { kind: 'live', name: 'Billing server' },
      response: { 201: NewKey, ...write },
    },
    handler: async (request, reply) => {
      const { kind, name = null } = request.body;
      const { row, key } = await createKey(deps, { ...(await scope.callerOf(request)), kind, name });
      return reply.code(201).send({ ...presentKey(row), key });
    },
  });
}

function addItem(api: Api, deps: KeyDeps, scope: Scope): void {
  const path = `${scope.path}/:keyId`;
  const params = Type.Object({ ...scope.params, keyId: Type.String() });
  const common = { tags: [scope.tag], params };
  api.get(path, {
    config: scope.config,
    schema: {
      ...common,
      operationId: scope.idOf('readKey'),
      summary: `Read a key of ${scope.of}, without a secret key itself`,
      response: { 200: Key, ...read },
    },
    handler: async (request) => presentKey(await readKey(deps.db, await keyIn(request, scope))),
  });
  api.patch(path, {
    config: scope.config,
    schema: {
      ...common,
      operationId: scope.idOf('updateKey'),
      summary: `Name a key of ${scope.of}, or change when a rotated one ends`,
      body: UpdateKey,
      bodyExample: { name: 'Billing server' },
      response: { 200: Key, ...change },
    },
    handler: async (request) =>
      presentKey(await updateKey(deps, { ...request.body, ...(await keyIn(request, scope)) })),
  });
  api.delete(path, {
    config: scope.config,
    schema: {
      ...common,
      operationId: scope.idOf('revokeKey'),
      summary: `Revoke a key of ${scope.of}; it stops working everywhere within 5 seconds`,
      response: { 204: NoContent, ...read },
    },
    handler: async (request, reply) => {
      await revokeKey(deps, await keyIn(request, scope));
      return reply.code(204).send(null);
    },
  });
}

function addRotation(api: Api, deps: KeyDeps, scope: Scope): void {
  api.post(`${scope.path}/:keyId/rotation`, {
    config: scope.config,
    schema: {
      tags: [scope.tag],
      operationId: scope.idOf('rotateKey'),
      summary: `Make a key in place of one of ${scope.of}, which ends 7 days later or when the request says`,
      description:
        'The new key has the kind and the name of the old one. The old one works until its `endsAt`; from then on it gets 401 `key.ended`.',
      params: Type.Object({ ...scope.params, keyId: Type.String() }),
      body: RotateKey,
      bodyExample: { endsInDays: 7 },
      response: { 201: RotatedKey, ...change },
    },
    // The body is optional.
    preValidation: (request, _reply, done) => {
      if (request.body === undefined) request.body = {};
      done();
    },
    handler: async (request, reply) => {
      const given = { ...request.body, ...(await keyIn(request, scope)) };
      const { row, key, replaced } = await rotateKey(deps, given);
      return reply.code(201).send({ ...presentKey(row), key, replaced: presentKey(replaced) });
    },
  });
}

/** @throws AppError `key.not_found`, `app.not_found`. */
async function keyIn(
  request: FastifyRequest,
  scope: Scope,
): Promise<{ appId: string; keyId: string; by: ChangedBy }> {
  const { keyId } = request.params as { keyId: string };
  if (!isUuid(keyId)) throw new AppError('key.not_found');
  return { ...(await scope.callerOf(request)), keyId: keyId.toLowerCase() };
}
