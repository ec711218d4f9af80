import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type Actor, canSee } from '../auth/index.ts';
import type { Config } from '../config.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import { cursorOf } from '../server/cursor.ts';
import { errorResponses } from '../server/schemas.ts';
import { type ErasureRequest, findErasureRequest, listErasureRequests } from './queries.ts';
import { keptDays } from './retention.ts';
import { Erasure, KeptDays, ListErasures, ListedErasure, presentErasure, presentListed } from './schemas.ts';

const common = { tags: ['Privacy'] };

/** `GET /v1/privacy/erase`, `GET /v1/privacy/erase/{requestId}` and `GET /v1/privacy/retention`; none has personal data. */
export const privacyReadRoutes: FastifyPluginAsyncTypebox<{ db: Db; config: Config }> = async (api, deps) => {
  api.get('/v1/privacy/erase', {
    schema: {
      ...common,
      operationId: 'listErasures',
      summary: 'List erasure requests, newest first',
      querystring: ListErasures,
      response: { 200: Type.Array(ListedErasure), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query: { before, limit } }) => {
      const page = { sandboxOnly: actor.mode === 'test', before: cursorOf('before', before), limit };
      return (await listErasureRequests(deps.db, actor.appId, page)).map(presentListed);
    },
  });

  api.get('/v1/privacy/erase/:requestId', {
    schema: {
      ...common,
      operationId: 'readErasure',
      summary: 'Read an erasure request',
      params: Type.Object({ requestId: Type.String() }),
      response: { 200: Erasure, ...errorResponses(401, 404, 429, 503) },
    },
    handler: async ({ actor, params }) => presentErasure(await readErasure(deps.db, actor, params.requestId)),
  });

  api.get('/v1/privacy/retention', {
    schema: {
      ...common,
      operationId: 'readRetentionDays',
      summary: 'Read for how many days records are kept',
      response: { 200: KeptDays, ...errorResponses(401, 429, 503) },
    },
    handler: async () => {
      const { clickDays, eventDays, deliveryDays } = await keptDays(deps);
      return {
        ...{ clicks: clickDays, installs: null, openEvents: null },
        ...{ events: eventDays, webhookMessages: deliveryDays },
      };
    },
  });
};

/** @throws AppError `erasure.not_found`. */
async function readErasure(db: Db, actor: Actor, requestId: string): Promise<ErasureRequest> {
  const request = isUuid(requestId)
    ? await findErasureRequest(db, actor.appId, requestId.toLowerCase())
    : undefined;
  if (request === undefined || !canSee(actor, request)) throw new AppError('erasure.not_found');
  return request;
}
