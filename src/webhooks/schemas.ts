import { type Static, Type } from 'typebox';
import { Id, Nullable, Text, Timestamp } from '../platform/http/schemas.ts';
import { EVENT_TYPES } from './event-types.ts';
import type { LoggedAttempt } from './queries.ts';
import { TEMPLATE_NAMES, type WebhookRow } from './webhook.ts';

const url = Type.String({ minLength: 1, maxLength: 2_048, description: 'Endpoint, http(s)' });
const secret = Type.String({
  minLength: 1,
  maxLength: 256,
  description: 'Signs each delivery (HMAC-SHA256); never returned',
});
const events = Type.Array(Type.Enum([...EVENT_TYPES]), {
  maxItems: 100,
  description: 'Event types to deliver; empty means all',
});

const TemplateConfig = Type.Object({
  mentionText: Type.Optional(
    Nullable(Type.String({ maxLength: 2_000 }), { description: 'Text that pings, such as @here' }),
  ),
  accentColor: Type.Optional(Nullable(Text('^#[0-9a-fA-F]{6}$', 'a # and six hex digits, such as #16a34a'))),
});

const template = Type.Unsafe<string | null>({
  type: ['string', 'null'],
  enum: [...TEMPLATE_NAMES, null],
  description: 'The chat platform that unsigned messages are made for, instead of signed JSON',
});

/** Body of `POST /v1/webhooks`. That there is a secret or a template is checked by `createWebhook`. */
export const CreateWebhook = Type.Object({
  url,
  secret: Type.Optional(Nullable(secret)),
  events: Type.Optional(Nullable(events)),
  template: Type.Optional(template),
  templateConfig: Type.Optional(Nullable(TemplateConfig)),
});
export type CreateWebhookInput = Static<typeof CreateWebhook>;

/** Null leaves a field as it is. */
export const UpdateWebhook = Type.Partial(
  Type.Object({
    url: Nullable(url),
    secret: Nullable(secret),
    events: Nullable(events),
    enabled: Nullable(Type.Boolean()),
    template: Type.Unsafe<string | null>({
      ...template,
      description:
        'Makes messages for this chat platform from now on; null leaves it, so it can be exchanged but not removed',
    }),
    templateConfig: Nullable(TemplateConfig, {
      description: 'Replaces all options: those not given are unset',
    }),
  }),
);
export type UpdateWebhookInput = Static<typeof UpdateWebhook>;

/** A webhook in answers, which never have its secret. */
export const Webhook = Type.Object({
  id: Id,
  url: Type.String(),
  events: Type.Array(Type.String()),
  enabled: Type.Boolean(),
  template: Nullable(Type.String()),
  templateConfig: Nullable(
    Type.Object({
      mentionText: Type.Optional(Nullable(Type.String())),
      accentColor: Type.Optional(Nullable(Type.String())),
    }),
  ),
  createdAt: Timestamp,
});

export function presentWebhook(row: WebhookRow): Static<typeof Webhook> {
  return {
    id: row.id,
    url: row.url,
    events: JSON.parse(row.events) as string[],
    enabled: row.enabled === 1,
    template: row.template,
    templateConfig: row.template_config === null ? null : JSON.parse(row.template_config),
    createdAt: row.created_at,
  };
}

/** One of what `GET /v1/webhooks/templates` answers. */
export const Template = Type.Object({ id: Type.String(), name: Type.String(), description: Type.String() });

/** Answer of `POST /v1/webhooks/{webhookId}/test`; a test that fails is answered with an error. */
export const TestSent = Type.Object({ success: Type.Boolean() });

/** Query of `GET /v1/webhooks/deliveries`. */
export const ListDeliveries = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
  event_type: Type.Optional(Type.String({ maxLength: 255 })),
  webhook_id: Type.Optional(Type.String({ maxLength: 255 })),
  success: Type.Optional(Type.Boolean({ description: 'Those that succeeded, or those that failed' })),
  before: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the last record seen: those before it follow' }),
  ),
});

/** One of what `GET /v1/webhooks/deliveries` answers: an attempt. Its fields are spelled as the contract has them. */
export const Delivery = Type.Object({
  id: Id,
  app_id: Id,
  webhook_id: Id,
  event_type: Type.String(),
  webhook_url: Type.String(),
  request_body: Type.String({ description: 'The bytes sent, as text' }),
  http_status: Type.Integer({ description: '0 where there was no answer' }),
  response_body: Type.String({ description: 'Its first 16 KiB' }),
  error_message: Nullable(Type.String()),
  attempt_number: Type.Integer(),
  success: Type.Boolean(),
  duration_ms: Type.Integer(),
  created_at: Timestamp,
});

/** `created_at` is when the attempt began. */
export function presentDelivery(row: LoggedAttempt): Static<typeof Delivery> {
  return {
    id: row.id,
    app_id: row.app_id,
    webhook_id: row.webhook_id,
    event_type: row.event_type,
    webhook_url: row.webhook_url,
    request_body: row.request_body,
    http_status: row.http_status,
    response_body: row.response_body,
    error_message: row.error_message,
    attempt_number: row.attempt_number,
    success: row.success === 1,
    duration_ms: row.duration_ms,
    created_at: row.started_at,
  };
}

/** Answer of `POST /v1/webhooks/deliveries/{attemptId}/redelivery`. */
export const Redelivery = Type.Object({
  messageId: Type.String({ description: 'The webhook-id header of what is sent, as it was before' }),
});
