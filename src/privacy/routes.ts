import { Readable } from 'node:stream';
import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import { type Actor, byApp, canSee } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Clock } from '../lib/clock.ts';
import { type Ids, isUuid } from '../lib/ids.ts';
import type { Log } from '../lib/log.ts';
import type { Secrets } from '../lib/secrets.ts';
import { createTurns } from '../lib/turns.ts';
import { errorResponses } from '../server/schemas.ts';
import type { Eraser } from './eraser.ts';
import { exportPerson } from './export-person.ts';
import { type ErasureRequest, findErasureRequest } from './queries.ts';
import { requestErasure } from './request-erasure.ts';
import { Erase, Erasure, ErasureAccepted, Export, Exported, presentErasure } from './schemas.ts';

/** Each reads many records; further ones of the app wait, at most as many as its rate limit permits. */
const MAX_EXPORTS_OF_APP = 5;
const ACCEPTED =
  'The erasure is being worked on and completes within 15 minutes. GET /v1/privacy/erase/{requestId} tells when.';

/** `POST /v1/privacy/erase`, `GET /v1/privacy/erase/{requestId}` and `POST /v1/privacy/export`. */
export const privacyRoutes: FastifyPluginAsyncTypebox<{
  db: Db;
  clock: Clock;
  ids: Ids;
  secrets: Secrets;
  log: Log;
  eraser: Eraser;
}> = async (api, deps) => {
  const common = { tags: ['Privacy'] };
  const faults = errorResponses(400, 401, 413, 415, 429, 503);
  const config = { role: 'editor', rateLimit: byApp('privacy', 30) } as const;

  api.post('/v1/privacy/erase', {
    config,
    schema: {
      ...common,
      operationId: 'erasePerson',
      summary: 'Erase a person’s data, by IP address, user ID or both',
      body: { ...Erase, additionalProperties: false },
      bodyExample: { userId: 'user-17', requesterEmail: 'privacy@example.com' },
      response: { 202: ErasureAccepted, ...faults },
    },
    handler: async ({ actor, body }, reply) => {
      const requestIds = await requestErasure(deps, { actor, input: body });
      return reply.code(202).send({ requestIds, status: 'pending', message: ACCEPTED });
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

  const inTurn = createTurns(MAX_EXPORTS_OF_APP);
  api.post('/v1/privacy/export', {
    config,
    schema: {
      ...common,
      operationId: 'exportPerson',
      summary: 'Export all data held for a person, by IP address, user ID or both',
      body: Export,
      bodyExample: { userId: 'user-17' },
      response: { 200: Exported, ...faults },
    },
    handler: async ({ id: requestId, actor, body }, reply) => {
      const text = await new Promise<Readable>((resolve, reject) => {
        const exportInTurn = async () => {
          const person = Readable.from(await exportPerson(deps, { actor, input: body }));
          const closed = new Promise((close) => person.once('close', close));
          resolve(person);
          await closed;
        };
        inTurn(actor.appId, exportInTurn).catch(reject);
      });
      // The response has started, so the caller sees only that it is incomplete.
      text.on('error', (error) => deps.log.error({ err: error, requestId }, 'Failed to complete an export'));
      reply.header('content-type', 'application/json; charset=utf-8');
      // Fastify sends a stream without serializing it by the schema, which documents it only.
      return reply.send(text as never);
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
