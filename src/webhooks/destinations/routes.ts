import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { AppDirectory } from '../../apps/index.ts';
import { AppError } from '../../errors.ts';
import { IdempotencyHeader, idempotencyKey } from '../../server/idempotency.ts';
import { errorResponses, NoContent } from '../../server/schemas.ts';
import type { Api } from '../../server/server.ts';
import { listAttemptsWithPauses } from '../list-attempts.ts';
import { listWebhooks, readWebhook } from '../queries.ts';
import { readHealth } from '../read-health.ts';
import { recoverWebhook } from '../recover-webhook.ts';
import { redeliver } from '../redeliver.ts';
import { Recover, Recovery, Redelivery } from '../schemas.ts';
import {
  type ChangeDeps,
  createDestination,
  deleteDestination,
  updateDestination,
} from './change-destination.ts';
import { typeOf } from './destination.ts';
import { previewRecord, testDestination } from './preview.ts';
import {
  BatchAttempt,
  ChangedDestination,
  ChooseRecord,
  CreateDestination,
  Destination,
  DestinationTypeFacts,
  ListBatches,
  Preview,
  presentBatchAttempt,
  presentDestination,
  presentType,
  presentWithHealth,
  refsOf,
  TestAccepted,
  UpdateDestination,
} from './schemas.ts';
import { findToldIds } from './told-ids.ts';
import { DESTINATION_TYPES } from './types/index.ts';

type DestinationDeps = ChangeDeps & { readonly appDirectory: AppDirectory };

const common = { tags: ['Destinations'] };
const itemErrors = errorResponses(401, 404, 429, 503);
const Params = Type.Object({ destinationId: Type.String() });
const KIND = 'destination';

/** `/v1/destinations`: where records go as they are recorded, what is sent and how it fares. */
export const destinationRoutes: FastifyPluginAsyncTypebox<DestinationDeps> = async (api, deps) => {
  collectionRoutes(api, deps);
  itemRoutes(api, deps);
  recordRoutes(api, deps);
  deliveryRoutes(api, deps);
};

function collectionRoutes(api: Api, deps: DestinationDeps): void {
  api.post('/v1/destinations', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'createDestination',
      summary: 'Create a destination, which gets the records of the app as they are recorded',
      description:
        'One created with a test key gets sandbox records, any other live ones. With an Idempotency-Key, the same key and body within 24 hours returns the first response again.',
      documentedHeaders: IdempotencyHeader,
      body: CreateDestination,
      bodyExample: {
        type: 'segment',
        name: 'Segment, production',
        config: { writeKey: 'YOUR_WRITE_KEY' },
        events: ['install', 'event'],
      },
      response: { 201: ChangedDestination, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { actor, body: input } = request;
      const created = await createDestination(deps, { actor, key: idempotencyKey(request), input });
      return reply.code(201).send(created);
    },
  });

  api.get('/v1/destinations', {
    schema: {
      ...common,
      operationId: 'listDestinations',
      summary: 'List all destinations, newest first',
      response: { 200: Type.Array(Destination), ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => {
      const health = await readHealth(deps, actor.appId, await listWebhooks(deps.db, actor.appId, KIND));
      return health.map((each) => presentWithHealth(deps, each, actor));
    },
  });

  api.get('/v1/destinations/types', {
    schema: {
      ...common,
      operationId: 'listDestinationTypes',
      summary: 'List the types of destinations, with their fields and limits',
      response: { 200: Type.Array(DestinationTypeFacts), ...errorResponses(401, 429, 503) },
    },
    handler: async () => DESTINATION_TYPES.flatMap(({ type }) => typeOf(type) ?? []).map(presentType),
  });
}

function itemRoutes(api: Api, deps: DestinationDeps): void {
  api.get('/v1/destinations/:destinationId', {
    schema: {
      ...common,
      operationId: 'readDestination',
      summary: 'Read a destination and how it fares',
      params: Params,
      response: { 200: Destination, ...itemErrors },
    },
    handler: async ({ actor, params: { destinationId: webhookId } }) => {
      const row = await readWebhook(deps.db, { actor, webhookId, kind: KIND });
      const [health] = await readHealth(deps, actor.appId, [row]);
      if (health === undefined) throw new AppError('destination.not_found');
      return presentWithHealth(deps, health, actor);
    },
  });

  api.patch('/v1/destinations/:destinationId', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'updateDestination',
      summary: 'Change a destination',
      description:
        'What waits is sent with the new config. Another key or address takes effect at once: what failed is sent again.',
      params: Params,
      body: UpdateDestination,
      bodyExample: { enabled: false },
      response: { 200: ChangedDestination, ...errorResponses(400, 413, 415), ...itemErrors },
    },
    handler: async ({ actor, params: { destinationId: id }, body: changes }) =>
      presentDestination(deps, await updateDestination(deps, { actor, id, changes }), actor),
  });

  api.delete('/v1/destinations/:destinationId', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'deleteDestination',
      summary: 'Delete a destination and what waits for it',
      params: Params,
      response: { 204: NoContent, ...itemErrors },
    },
    handler: async ({ actor, params: { destinationId: id } }, reply) => {
      await deleteDestination(deps, { actor, id });
      return reply.code(204).send(null);
    },
  });
}

function recordRoutes(api: Api, deps: DestinationDeps): void {
  api.post('/v1/destinations/:destinationId/preview', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'previewDestination',
      summary: 'Show the request that a record would become, with secrets masked',
      params: Params,
      body: ChooseRecord,
      bodyExample: {},
      response: { 200: Preview, ...errorResponses(400, 409, 413, 415), ...itemErrors },
    },
    handler: async ({ actor, params: { destinationId: id }, body: chosen }) =>
      await previewRecord(deps, { actor, id, chosen }),
  });

  api.post('/v1/destinations/:destinationId/test', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'testDestination',
      summary: 'Send one record at once, marked as a test where the network can',
      params: Params,
      body: ChooseRecord,
      bodyExample: {},
      response: { 200: TestAccepted, ...errorResponses(400, 409, 413, 415, 502), ...itemErrors },
    },
    handler: async ({ actor, params: { destinationId: id }, body: chosen }) =>
      await testDestination(deps, { actor, id, chosen }),
  });
}

function deliveryRoutes(api: Api, deps: DestinationDeps): void {
  const { db, clock, ids, dispatcher } = deps;
  api.get('/v1/destinations/:destinationId/deliveries', {
    schema: {
      ...common,
      operationId: 'listDestinationDeliveries',
      summary: 'List attempts to send batches of records, newest first',
      params: Params,
      querystring: ListBatches,
      response: { 200: Type.Array(BatchAttempt), ...errorResponses(400), ...itemErrors },
    },
    handler: async ({ actor, params: { destinationId }, query: { limit, success, before = null } }) => {
      const { id: webhookId } = await readWebhook(db, { actor, webhookId: destinationId, kind: KIND });
      const page = { kind: KIND, webhookId, success, before: before?.toLowerCase() ?? null, limit } as const;
      const attempts = await listAttemptsWithPauses({ db, clock, dispatcher }, actor.appId, page);
      const refs = attempts.flatMap((row) => refsOf(row));
      const toldIds = await findToldIds(db, actor.appId, refs);
      return attempts.map((row) => presentBatchAttempt(row, actor, toldIds));
    },
  });

  api.post('/v1/destinations/deliveries/:attemptId/redelivery', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'redeliverBatch',
      summary: 'Send the records of a batch again, as they are now, in the background',
      params: Type.Object({ attemptId: Type.String() }),
      response: { 202: Redelivery, ...errorResponses(400, 409, 413, 415), ...itemErrors },
    },
    handler: async ({ actor, params }, reply) => {
      const attempt = await redeliver({ db, clock, ids, dispatcher }, { actor, ...params, kind: KIND });
      return reply.code(202).send({ messageId: attempt.message_id });
    },
  });

  api.post('/v1/destinations/:destinationId/recovery', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'recoverDestination',
      summary: 'Send again every batch since a time that no attempt delivered, the oldest first',
      params: Params,
      body: Recover,
      bodyExample: { since: '2026-01-31T12:00:00Z', dryRun: true },
      response: { 202: Recovery, ...errorResponses(400, 409, 413, 415), ...itemErrors },
    },
    handler: async (
      { actor, params: { destinationId: webhookId }, body: { since, dryRun = false } },
      reply,
    ) => {
      const of = { actor, webhookId, since, isDryRun: dryRun, kind: KIND } as const;
      return reply.code(202).send({ messages: await recoverWebhook(deps, of) });
    },
  });
}
