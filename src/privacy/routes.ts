import { Readable } from 'node:stream';
import { Type } from 'typebox';
import { type KeyRing, MANAGEMENT_LIMIT, perKey, requireKey } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { limitRate } from '../platform/http/rate-limit.ts';
import { errorAnswers } from '../platform/http/schemas.ts';
import type { Api } from '../platform/http/server.ts';
import type { Eraser } from './eraser.ts';
import { exportPerson } from './export-person.ts';
import { readErasure } from './read-erasure.ts';
import { requestErasure } from './request-erasure.ts';
import { Erase, Erasure, ErasureAccepted, Export, Exported, presentErasure } from './schemas.ts';

const ACCEPTED =
  'The erasure is being worked on and completes within 15 minutes. GET /v1/privacy/erase/{requestId} tells when.';

/** `POST /v1/privacy/erase`, `GET /v1/privacy/erase/{requestId}` and `POST /v1/privacy/export`. */
export function privacyRoutes(api: Api, ctx: Ctx & { keyRing: KeyRing; eraser: Eraser }): void {
  const common = { tags: ['Privacy'], security: [{ apiKey: [] }] };
  const faults = errorAnswers(400, 401, 413, 415, 429, 503);
  const onPost = [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, perKey('privacy', 30))];

  api.post('/v1/privacy/erase', {
    onRequest: onPost,
    schema: {
      ...common,
      summary: 'Erase a person’s data, by IP address, user ID or both',
      body: Erase,
      response: { 202: ErasureAccepted, ...faults },
    },
    handler: async ({ actor, body }, reply) => {
      const requestIds = await requestErasure(ctx, { actor, input: body });
      return reply.code(202).send({ requestIds, status: 'pending', message: ACCEPTED });
    },
  });

  api.get('/v1/privacy/erase/:requestId', {
    onRequest: [requireKey(ctx.keyRing, 'secret'), limitRate(ctx, MANAGEMENT_LIMIT)],
    schema: {
      ...common,
      summary: 'Read an erasure request',
      params: Type.Object({ requestId: Type.String() }),
      response: { 200: Erasure, ...errorAnswers(401, 404, 429, 503) },
    },
    handler: async ({ actor, params }) => presentErasure(await readErasure(ctx, { actor, ...params })),
  });

  api.post('/v1/privacy/export', {
    onRequest: onPost,
    schema: {
      ...common,
      summary: 'Export all data held for a person, by IP address, user ID or both',
      body: Export,
      response: { 200: Exported, ...faults },
    },
    handler: async ({ id: requestId, actor, body }, reply) => {
      const text = Readable.from(await exportPerson(ctx, { actor, input: body }));
      // The answer has begun: that it does not end is all that the caller is told.
      text.on('error', (error) => ctx.log.error({ err: error, requestId }, 'an export broke off'));
      reply.header('content-type', 'application/json; charset=utf-8').header('cache-control', 'no-store');
      // A stream is sent as it is, whatever the schema, which is there to tell what it holds.
      return reply.send(text as never);
    },
  });
}
