import { type Static, Type } from 'typebox';
import type { Actor } from '../auth/index.ts';
import { Id, Named, Nullable, OnlyThese, Text, Timestamp } from '../server/schemas.ts';
import { MAX_WAITING } from './attempts/index.ts';
import type { LoggedAttempt } from './queries.ts';
import type { WebhookHealth } from './read-health.ts';
import {
  EVENT_TYPES,
  type EventType,
  maskAddress,
  RETRIES,
  type Retries,
  seesAddress,
  TEMPLATE_NAMES,
  type WebhookRow,
} from './webhook.ts';

const url = Type.String({ minLength: 1, maxLength: 2_048, description: 'Address of the receiver, http(s)' });
const secret = Type.String({
  minLength: 1,
  maxLength: 256,
  description:
    'Signs each delivery (HMAC-SHA256); never returned, except that `generate` makes one, which this response alone has',
});
const events = Type.Array(Type.Enum([...EVENT_TYPES]), {
  maxItems: 100,
  description: 'Event types to deliver; empty means all',
});

const TemplateConfig = Named('TemplateConfig', {
  mentionText: Type.Optional(
    Nullable(Type.String({ maxLength: 2_000 }), { description: 'Text that pings, such as @here' }),
  ),
  accentColor: Type.Optional(Nullable(Text('^#[0-9a-fA-F]{6}$', 'a # and six hex digits, such as #16a34a'))),
});

const template = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  enum: [...TEMPLATE_NAMES, null],
  description: 'Sends unsigned messages for this chat platform instead of signed JSON',
});

const retries = Type.Enum([...RETRIES], {
  description: 'Three attempts, or up to twelve within three days. Default: standard',
});

/** Body of `POST /v1/webhooks`. `createWebhook` requires a secret or a template. */
export const CreateWebhook = Named('CreateWebhook', {
  url,
  secret: Type.Optional(Nullable(secret)),
  events: Type.Optional(Nullable(events)),
  enabled: Type.Optional(Nullable(Type.Boolean(), { description: 'Default: true' })),
  template: Type.Optional(template),
  templateConfig: Type.Optional(Nullable(TemplateConfig)),
  retries: Type.Optional(Nullable(retries)),
});
export type CreateWebhookInput = Static<typeof CreateWebhook>;

/** Body of `PATCH /v1/webhooks/{webhookId}`. Null leaves a field unchanged. */
export const UpdateWebhook = Type.Partial(
  Type.Object({
    url: Nullable(url),
    secret: Nullable(secret),
    events: Nullable(events),
    enabled: Nullable(Type.Boolean()),
    template: Type.Unsafe<string | null>({
      ...template,
      description:
        'Sends messages for this chat platform from now on; null leaves it unchanged, so it can be replaced but not removed',
    }),
    templateConfig: Nullable(TemplateConfig, {
      description: 'Replaces all options; omitted ones are unset',
    }),
    retries: Nullable(retries),
  }),
  { title: 'UpdateWebhook' },
);
export type UpdateWebhookInput = Static<typeof UpdateWebhook>;

const webhookFields = {
  id: Id,
  url: Type.String({ description: 'Scheme and host only for viewers' }),
  events: Type.Array(Type.Enum([...EVENT_TYPES])),
  enabled: Type.Boolean(),
  template: Nullable(Type.Enum([...TEMPLATE_NAMES])),
  templateConfig: Nullable(TemplateConfig),
  retries: Type.Enum([...RETRIES]),
  createdAt: Timestamp,
};

/** Response of a creation or change, with the secret if the service made it. */
export const ChangedWebhook = Named('ChangedWebhook', {
  ...webhookFields,
  secret: Type.Optional(
    Type.String({ description: 'The secret that `generate` made; no other response has it' }),
  ),
});

/** How a webhook or destination fares. */
export const WebhookHealthFields = Named('WebhookHealth', {
  lastSuccessAt: Nullable(Timestamp),
  lastFailureAt: Nullable(Timestamp, { description: 'Of an attempt that did not succeed' }),
  failingSince: Nullable(Timestamp, {
    description: 'The first failure since the last success; null unless the last attempt failed',
  }),
  waiting: Type.Integer({
    minimum: 0,
    description: `Deliveries that wait for an attempt, of a destination for its answer too; at most ${MAX_WAITING.toLocaleString('en')} are counted`,
  }),
  failed24h: Type.Integer({ minimum: 0, description: 'Deliveries given up in the last 24 hours' }),
  delivered24h: Type.Integer({ minimum: 0, description: 'Deliveries that arrived in the last 24 hours' }),
  pausedUntil: Nullable(Timestamp, { description: 'Until when the receiver asked to wait' }),
});

/** A webhook in responses to reads, without its secret. */
export const Webhook = Named('Webhook', {
  ...webhookFields,
  health: WebhookHealthFields,
});

export function presentWithHealth(
  { webhook, ...health }: WebhookHealth,
  actor: Actor,
): Static<typeof Webhook> {
  return { ...presentWebhook(webhook, actor), health };
}

export function presentWebhook(row: WebhookRow, actor: Actor): Omit<Static<typeof Webhook>, 'health'> {
  return {
    id: row.id,
    url: seesAddress(actor, { sandboxOnly: row.sandbox_only }) ? row.url : maskAddress(row.url),
    events: JSON.parse(row.events) as EventType[],
    enabled: row.enabled === 1,
    template: row.template as Static<typeof Webhook>['template'],
    templateConfig: row.template_config === null ? null : JSON.parse(row.template_config),
    retries: row.retries as Retries,
    createdAt: row.created_at,
  };
}

export type ChangedBody = Static<typeof ChangedWebhook>;

/** @param secret if the service made it. */
export function presentChanged(row: WebhookRow, actor: Actor, secret: string | null): ChangedBody {
  return { ...presentWebhook(row, actor), ...(secret !== null && { secret }) };
}

/** Item of `GET /v1/webhooks/templates`. */
export const Template = Named('WebhookTemplate', {
  id: Type.Enum([...TEMPLATE_NAMES]),
  name: Type.String(),
  description: Type.String(),
});

/** Response of `POST /v1/webhooks/{webhookId}/test`; a failed test is an error. */
export const TestSent = Named('WebhookTestSent', { success: Type.Boolean() });

/** Query of `GET /v1/webhooks/deliveries`. */
export const ListDeliveries = OnlyThese({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
  event_type: Type.Optional(Type.String({ maxLength: 255 })),
  webhook_id: Type.Optional(Type.String({ maxLength: 255 })),
  success: Type.Optional(Type.Boolean({ description: 'Only successful or only failed attempts' })),
  before: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the last record of the previous page' }),
  ),
});

/** Item of `GET /v1/webhooks/deliveries`: an attempt. The contract spells its fields in snake case. */
export const Delivery = Named('WebhookDelivery', {
  id: Id,
  app_id: Id,
  webhook_id: Id,
  event_type: Type.Enum([...EVENT_TYPES]),
  webhook_url: Type.String({ description: 'Scheme and host only for viewers' }),
  request_body: Type.String({ description: 'The bytes sent, as text' }),
  http_status: Type.Integer({ description: '0 if no response arrived' }),
  response_body: Type.String({ description: 'Its first 16 KiB; empty for viewers and test keys' }),
  error_message: Nullable(Type.String()),
  attempt_number: Type.Integer({
    description:
      'The same again after an attempt that was interrupted, or that the receiver asked to put off',
  }),
  success: Type.Boolean(),
  duration_ms: Type.Integer(),
  created_at: Timestamp,
  message_id: Type.String({ description: 'The `webhook-id` header, the same for all attempts of a message' }),
  next_attempt_at: Nullable(Timestamp, {
    description: 'When the next attempt of a message that did not arrive is due at the earliest',
  }),
  given_up: Type.Boolean({
    description:
      'The message did not arrive and is not sent again by itself: a redelivery or a recovery sends it',
  }),
});

/** `created_at` is the start of the attempt. */
export function presentDelivery(row: LoggedAttempt, actor: Actor): Static<typeof Delivery> {
  const { sandbox: _sandbox, event_type, success, started_at, ...fields } = row;
  return {
    ...fields,
    // The log does not name the maker of the webhook: a test key reads none whole.
    ...(!seesAddress(actor, { sandboxOnly: 0 }) && {
      webhook_url: maskAddress(row.webhook_url),
      response_body: '',
    }),
    event_type: event_type as EventType,
    success: success === 1,
    created_at: started_at,
  };
}

/** Response of `POST /v1/webhooks/deliveries/{attemptId}/redelivery`. */
export const Redelivery = Named('Redelivery', {
  messageId: Type.String({ description: 'The webhook-id header, the same as before' }),
});

/** Body of `POST /v1/webhooks/{webhookId}/recovery`. */
export const Recover = Named(
  'RecoverWebhook',
  {
    since: Type.String({
      maxLength: 64,
      description: 'Messages since then, by the time of the message; an ISO 8601 time with a zone',
    }),
    dryRun: Type.Optional(Type.Boolean({ description: 'Only counts them' })),
  },
  // A misspelt `dryRun` would send.
  { additionalProperties: false },
);

/** Response of `POST /v1/webhooks/{webhookId}/recovery`. */
export const Recovery = Named('WebhookRecovery', {
  messages: Type.Integer({ minimum: 0, description: 'Messages that are sent again, or would be' }),
});
