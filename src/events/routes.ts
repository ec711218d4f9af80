import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { parseListBody, readBodiesWith } from '../server/json-body.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import type { Events } from './index.ts';
import { MAX_BATCH_BYTES, MAX_BATCH_EVENTS } from './limits.ts';
import {
  EVENT_EXAMPLE,
  EventBatch,
  EventRecorded,
  EventsRecorded,
  Identify,
  RecordEvent,
  RecordEvents,
} from './schemas.ts';

/** `POST /v1/sdk/event`, `events` and `identify`. */
export const eventRoutes: FastifyPluginAsyncTypebox<{ events: Events }> = async (api, { events }) => {
  const common = { tags: ['SDK'] };
  const faults = errorResponses(400, 401, 404, 409, 413, 415, 429, 503);

  api.post('/v1/sdk/event', {
    schema: {
      ...common,
      operationId: 'recordEvent',
      summary: 'Record an event after the install',
      body: RecordEvent,
      bodyExample: EVENT_EXAMPLE,
      response: { 201: EventRecorded, ...faults },
    },
    handler: async ({ actor, ip, body }, reply) =>
      reply.code(201).send(await events.record({ actor, connectionAddress: ip, event: body })),
  });
  api.register(async (batches: Api) => {
    readBodiesWith(batches, parseListBody('events', MAX_BATCH_EVENTS));
    batches.post('/v1/sdk/events', {
      bodyLimit: MAX_BATCH_BYTES,
      schema: {
        ...common,
        operationId: 'recordEvents',
        summary: `Record up to ${MAX_BATCH_EVENTS} events; an invalid one does not fail the others`,
        description:
          '429 if every event exceeds a daily limit; if only some do, 200 with 429 as their status.',
        body: RecordEvents,
        documentedBody: EventBatch,
        bodyExample: { events: [EVENT_EXAMPLE] },
        response: { 200: EventsRecorded, ...errorResponses(400, 401, 413, 415, 429, 503) },
      },
      handler: async ({ actor, ip, body }) => ({
        results: await events.recordBatch({
          ...{ actor, connectionAddress: ip },
          events: body.events,
          sentAt: body.sentAt,
        }),
      }),
    });
  });
  api.post('/v1/sdk/identify', {
    schema: {
      ...common,
      operationId: 'identifyUser',
      summary: 'Link an install to a user',
      body: Identify,
      bodyExample: { installId: EVENT_EXAMPLE.installId, userId: 'user-17' },
      response: { 204: NoContent, ...faults },
    },
    handler: async ({ actor, body }, reply) => {
      await events.identify({ actor, input: body });
      return reply.code(204).send(null);
    },
  });
};
