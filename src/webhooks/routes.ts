import type { FastifyPluginAsyncTypebox } from '@fastify/type-provider-typebox';
import { Type } from 'typebox';
import type { AppDirectory } from '../apps/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isUuid } from '../lib/ids.ts';
import { IdempotencyHeader, idempotencyKey } from '../server/idempotency.ts';
import { errorResponses, NoContent } from '../server/schemas.ts';
import type { Api } from '../server/server.ts';
import type { Dispatcher } from './attempts/index.ts';
import { createWebhook, deleteWebhook, updateWebhook } from './change-webhook.ts';
import type { EnabledWebhooks } from './enabled-webhooks.ts';
import { listAttemptsWithPauses } from './list-attempts.ts';
import { listWebhooks, readWebhook } from './queries.ts';
import { readHealth } from './read-health.ts';
import { recoverWebhook } from './recover-webhook.ts';
import { redeliver } from './redeliver.ts';
import {
  ChangedWebhook,
  CreateWebhook,
  Delivery,
  ListDeliveries,
  presentChanged,
  presentDelivery,
  presentWithHealth,
  Recover,
  Recovery,
  Redelivery,
  Template,
  TestSent,
  UpdateWebhook,
  Webhook,
} from './schemas.ts';
import { TEMPLATES } from './templates/index.ts';
import { testWebhook } from './test-webhook.ts';

type WebhookDeps = Pick<Foundation, 'db' | 'clock' | 'ids' | 'config' | 'secrets'> & {
  readonly appDirectory: AppDirectory;
  readonly webhooks: EnabledWebhooks;
  readonly dispatcher: Dispatcher;
};

const common = { tags: ['Webhooks'] };
const itemErrors = errorResponses(401, 404, 429, 503);
const Params = Type.Object({ webhookId: Type.String() });

/** `/v1/webhooks`: webhooks, their templates and tests, the delivery log and redeliveries. */
export const webhookRoutes: FastifyPluginAsyncTypebox<WebhookDeps> = async (api, deps) => {
  collectionRoutes(api, deps);
  itemRoutes(api, deps);
  recoveryRoute(api, deps);
  deliveryRoutes(api, deps);
};

function collectionRoutes(api: Api, deps: WebhookDeps): void {
  api.post('/v1/webhooks', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'createWebhook',
      summary: 'Create a webhook',
      description:
        'One created with a test key receives sandbox events only. With an Idempotency-Key, the same key and body within 24 hours returns the first response again. `"secret": "generate"` makes a secret, which the response has.',
      documentedHeaders: IdempotencyHeader,
      body: CreateWebhook,
      bodyExample: {
        url: 'https://hooks.example.com/throughline',
        secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
        events: ['install.attributed', 'install.organic'],
      },
      response: { 201: ChangedWebhook, ...errorResponses(400, 401, 409, 413, 415, 429, 503) },
    },
    handler: async (request, reply) => {
      const { actor, body: input } = request;
      return reply.code(201).send(await createWebhook(deps, { actor, key: idempotencyKey(request), input }));
    },
  });

  api.get('/v1/webhooks', {
    schema: {
      ...common,
      operationId: 'listWebhooks',
      summary: 'List all webhooks, newest first',
      response: { 200: Type.Array(Webhook), ...errorResponses(401, 429, 503) },
    },
    handler: async ({ actor }) => {
      const webhooks = await listWebhooks(deps.db, actor.appId);
      const health = await readHealth(deps, actor.appId, webhooks);
      return health.map((each) => presentWithHealth(each, actor));
    },
  });

  api.get('/v1/webhooks/templates', {
    schema: {
      ...common,
      operationId: 'listWebhookTemplates',
      summary: 'List the chat platforms with a message template',
      response: { 200: Type.Array(Template), ...errorResponses(401, 429, 503) },
    },
    handler: async () => [...TEMPLATES],
  });
}

function itemRoutes(api: Api, deps: WebhookDeps): void {
  api.get('/v1/webhooks/:webhookId', {
    schema: {
      ...common,
      operationId: 'readWebhook',
      summary: 'Read a webhook and how it fares',
      params: Params,
      response: { 200: Webhook, ...itemErrors },
    },
    handler: async ({ actor, params }) => {
      const webhook = await readWebhook(deps.db, { actor, ...params });
      const [health] = await readHealth(deps, actor.appId, [webhook]);
      if (health === undefined) throw new AppError('webhook.not_found');
      return presentWithHealth(health, actor);
    },
  });

  api.patch('/v1/webhooks/:webhookId', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'updateWebhook',
      summary: 'Change a webhook; null leaves a field as it is',
      description: 'After a change of the secret, the former one adds a second signature for 24 hours.',
      params: Params,
      body: UpdateWebhook,
      bodyExample: { enabled: false },
      response: { 200: ChangedWebhook, ...errorResponses(400, 413, 415), ...itemErrors },
    },
    handler: async ({ actor, params, body }) => {
      const { webhook, madeSecret } = await updateWebhook(deps, { actor, ...params, changes: body });
      return presentChanged(webhook, actor, madeSecret);
    },
  });

  api.delete('/v1/webhooks/:webhookId', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'deleteWebhook',
      summary: 'Delete a webhook and its pending deliveries',
      params: Params,
      response: { 204: NoContent, ...itemErrors },
    },
    handler: async ({ actor, params }, reply) => {
      await deleteWebhook(deps, { actor, ...params });
      return reply.code(204).send(null);
    },
  });

  api.post('/v1/webhooks/:webhookId/test', {
    config: { key: 'live', role: 'editor' },
    schema: {
      ...common,
      operationId: 'testWebhook',
      summary: 'Send test.webhook once, immediately; needs the secret live key',
      params: Params,
      response: { 200: TestSent, ...errorResponses(400, 413, 415, 502), ...itemErrors },
    },
    handler: async ({ actor, params }) => {
      await testWebhook(deps, { actor, ...params });
      return { success: true };
    },
  });
}

function recoveryRoute(api: Api, deps: WebhookDeps): void {
  api.post('/v1/webhooks/:webhookId/recovery', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'recoverWebhook',
      summary: 'Send again every message since a time that no attempt delivered, the oldest first',
      params: Params,
      body: Recover,
      bodyExample: { since: '2026-01-31T12:00:00Z', dryRun: true },
      response: { 202: Recovery, ...errorResponses(400, 409, 413, 415), ...itemErrors },
    },
    handler: async ({ actor, params, body: { since, dryRun = false } }, reply) => {
      const messages = await recoverWebhook(deps, { actor, ...params, since, isDryRun: dryRun });
      return reply.code(202).send({ messages });
    },
  });
}

function deliveryRoutes(api: Api, { db, clock, ids, dispatcher }: WebhookDeps): void {
  api.get('/v1/webhooks/deliveries', {
    config: { key: 'live' },
    schema: {
      ...common,
      operationId: 'listDeliveries',
      summary: 'List delivery attempts, newest first; needs the secret live key',
      querystring: ListDeliveries,
      response: { 200: Type.Array(Delivery), ...errorResponses(400, 401, 429, 503) },
    },
    handler: async ({ actor, query }) => {
      const { event_type: eventType, webhook_id: webhookId, success, before = null, limit } = query;
      if (webhookId !== undefined && !isUuid(webhookId)) return [];
      const filter = { eventType, webhookId: webhookId?.toLowerCase(), success };
      const page = { ...filter, before: before?.toLowerCase() ?? null, limit };
      const attempts = await listAttemptsWithPauses({ db, clock, dispatcher }, actor.appId, page);
      return attempts.map((attempt) => presentDelivery(attempt, actor));
    },
  });

  api.post('/v1/webhooks/deliveries/:attemptId/redelivery', {
    config: { role: 'editor' },
    schema: {
      ...common,
      operationId: 'redeliver',
      summary: 'Send a delivery again, with the same bytes, in the background',
      params: Type.Object({ attemptId: Type.String() }),
      response: { 202: Redelivery, ...errorResponses(400, 409, 413, 415), ...itemErrors },
    },
    handler: async ({ actor, params }, reply) => {
      const { message_id: messageId } = await redeliver({ db, clock, ids, dispatcher }, { actor, ...params });
      return reply.code(202).send({ messageId });
    },
  });
}
