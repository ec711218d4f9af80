import { type Static, Type } from 'typebox';
import type { Actor } from '../../auth/index.ts';
import type { Foundation } from '../../foundation.ts';
import { Id, JsonObject, Named, NameText, Nullable, OnlyThese, Timestamp } from '../../server/schemas.ts';
import type { LoggedAttempt } from '../queries.ts';
import type { WebhookHealth } from '../read-health.ts';
import { WebhookHealthFields } from '../schemas.ts';
import { isTest, maskAddress, seesAddress, type WebhookRow } from '../webhook.ts';
import { type RecordRef, readBatch } from './batch.ts';
import { ADDRESSES } from './check-config.ts';
import { type AnyType, CONSENTS, readSecrets } from './destination.ts';
import { FORWARDED_KINDS } from './feed.ts';
import { declaresBaseUrl } from './own-address.ts';
import { DESTINATION_TYPES } from './types/index.ts';

const TYPES = DESTINATION_TYPES.map(({ type }) => type as string);

const name = NameText(100);
const config = JsonObject({
  description: 'Fields of the type, see GET /v1/destinations/types. Secret ones are never returned',
});
const events = Type.Array(Type.Enum([...FORWARDED_KINDS]), {
  maxItems: 3,
  description: 'Kinds of records to send; empty means all. Opens are those by a link',
});
const eventNames = Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
  maxItems: 200,
  description: 'Only events with these names; empty means all. Installs and opens are not affected',
});
const Names = (description: string) =>
  Type.Record(Type.String({ maxLength: 255 }), Type.String({ minLength: 1, maxLength: 255 }), {
    maxProperties: 200,
    description,
  });
const Mapping = Named('DestinationMapping', {
  events: Type.Optional(Names('The network’s name of an event by ours, before the type’s own names')),
  fields: Type.Optional(
    Names('The source of a field of the type, such as `properties.plan`, in place of its own source'),
  ),
});
const consent = Type.Enum([...CONSENTS], {
  description:
    '`granted`: no record of a person who consented to certain matching alone. `any`: all records. Default: granted',
});

/** Body of `POST /v1/destinations`. */
export const CreateDestination = Named('CreateDestination', {
  type: Type.Enum([...TYPES], { description: 'Cannot be changed later' }),
  name,
  config,
  events: Type.Optional(events),
  eventNames: Type.Optional(Nullable(eventNames)),
  mapping: Type.Optional(Nullable(Mapping)),
  consent: Type.Optional(consent),
  enabled: Type.Optional(Type.Boolean({ description: 'Default: true' })),
});
export type CreateDestinationInput = Static<typeof CreateDestination>;

/** Body of `PATCH /v1/destinations/{destinationId}`. */
export const UpdateDestination = Named('UpdateDestination', {
  name: Type.Optional(name),
  config: Type.Optional(
    JsonObject({
      description:
        'Only the fields to change; null removes one. With another address (`baseUrl`, `url`) the secret fields are to be sent again',
    }),
  ),
  events: Type.Optional(events),
  eventNames: Type.Optional(Nullable(eventNames, { description: 'Null or empty means all' })),
  mapping: Type.Optional(Nullable(Mapping, { description: 'Replaces the whole mapping; null removes it' })),
  consent: Type.Optional(consent),
  enabled: Type.Optional(Type.Boolean({ description: 'False drops what waits; a recovery sends it later' })),
});
export type UpdateDestinationInput = Static<typeof UpdateDestination>;

const fields = {
  id: Id,
  type: Type.Enum([...TYPES]),
  name: Type.String(),
  config: JsonObject({ description: 'Without the secret fields' }),
  secretsSet: Type.Array(Type.String(), { description: 'Names of the secret fields that have a value' }),
  events: Type.Array(Type.Enum([...FORWARDED_KINDS])),
  eventNames: Type.Array(Type.String()),
  mapping: Mapping,
  consent: Type.Enum([...CONSENTS]),
  enabled: Type.Boolean(),
  sandbox: Type.Boolean({ description: 'A test key made it: it gets sandbox records, and no others do' }),
  createdAt: Timestamp,
};

/** Response of a creation or change. */
export const ChangedDestination = Named('ChangedDestination', fields);

/** A destination in responses to reads. */
export const Destination = Named('Destination', { ...fields, health: WebhookHealthFields });

export function presentDestination(
  { secrets }: Pick<Foundation, 'secrets'>,
  row: WebhookRow,
  actor: Actor,
): Static<typeof ChangedDestination> {
  const open = JSON.parse(row.config ?? '{}') as Record<string, unknown>;
  const seesAll = seesAddress(actor, { sandboxOnly: row.sandbox_only });
  return {
    id: row.id,
    type: row.type ?? '',
    name: row.name ?? '',
    config: seesAll ? open : withoutAddresses(open),
    secretsSet: Object.keys(readSecrets({ secrets }, row) ?? {}),
    events: JSON.parse(row.events),
    eventNames: JSON.parse(row.event_names ?? '[]'),
    mapping: JSON.parse(row.mapping ?? '{}'),
    consent: row.consent === 'any' ? 'any' : 'granted',
    enabled: row.enabled === 1,
    sandbox: row.sandbox_only === 1,
    createdAt: row.created_at,
  };
}

/** An address may be a credential. */
function withoutAddresses(config: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const masked = ADDRESSES.flatMap((field) => {
    const address = config[field];
    return typeof address === 'string' ? [[field, maskAddress(address)] as const] : [];
  });
  return { ...config, ...Object.fromEntries(masked) };
}

export function presentWithHealth(
  deps: Pick<Foundation, 'secrets'>,
  { webhook, ...health }: WebhookHealth,
  actor: Actor,
): Static<typeof Destination> {
  return { ...presentDestination(deps, webhook, actor), health };
}

/** Item of `GET /v1/destinations/types`. */
export const DestinationTypeFacts = Named('DestinationType', {
  type: Type.Enum([...TYPES]),
  title: Type.String(),
  documentation: Type.String({ description: 'The public page of the API that the facts come from' }),
  config: Type.Array(
    Named('DestinationTypeField', {
      name: Type.String(),
      description: Type.String(),
      required: Type.Boolean(),
      secret: Type.Boolean(),
      values: Nullable(Type.Array(Type.String()), { description: 'The values to choose from; null for any' }),
      default: Nullable(Type.String()),
    }),
  ),
  hasBaseUrl: Type.Boolean({
    description: 'Whether `config.baseUrl` is a field, for regions and self-hosting',
  }),
  limits: Named('DestinationLimits', {
    maxItems: Type.Integer(),
    maxBytes: Type.Integer(),
    maxItemBytes: Nullable(Type.Integer()),
    maxAgeMs: Nullable(Type.Integer()),
    intervalMs: Nullable(Type.Integer()),
  }),
  fields: Type.Array(Type.String(), { description: 'Everything that a call may have' }),
  mappable: Type.Record(Type.String(), Type.String(), {
    description: 'The fields that `mapping.fields` may name, with the source of each without a mapping',
  }),
});

export function presentType(type: AnyType): Static<typeof DestinationTypeFacts> {
  const required = new Set<string>(type.config.required ?? []);
  const secret = new Set<string>(type.secrets);
  const config = Object.entries(type.config.properties).map(([name, schema]) => {
    const { description = '', enum: values = null, default: fallback = null } = schema as ConfigField;
    return {
      ...{ name, description, required: required.has(name), secret: secret.has(name) },
      ...{ values: values === null ? null : [...values], default: fallback },
    };
  });
  const { title, documentation, limits, fields, mappable } = type;
  return {
    ...{ type: type.type, title, documentation, config, hasBaseUrl: declaresBaseUrl(type) },
    ...{ limits: { ...limits }, fields: [...fields], mappable: { ...mappable } },
  };
}

interface ConfigField {
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly default?: string;
}

/** Body of `POST /v1/destinations/{destinationId}/preview` and `…/test`. */
export const ChooseRecord = Named(
  'ChooseRecord',
  {
    installId: Type.Optional(Id),
    openId: Type.Optional(Id),
    eventId: Type.Optional(Id),
  },
  {
    additionalProperties: false,
    description: 'One of them; without any, the newest record that would be sent',
  },
);
export type ChooseRecordInput = Static<typeof ChooseRecord>;

/** Response of `POST /v1/destinations/{destinationId}/preview`. */
export const Preview = Named('DestinationPreview', {
  record: Named('PreviewedRecord', { kind: Type.Enum([...FORWARDED_KINDS]), id: Id, name: Type.String() }),
  request: Nullable(
    Named('PreviewedRequest', {
      method: Type.Enum(['POST']),
      url: Type.String(),
      headers: Type.Record(Type.String(), Type.String()),
      body: Type.String(),
    }),
    { description: 'Exactly what would be sent, but for masked secrets; null if nothing would be' },
  ),
  reason: Nullable(Type.String(), { description: 'Why nothing would be sent, and what to do' }),
});

/** Response of `POST /v1/destinations/{destinationId}/test`; a failed test is an error. */
export const TestAccepted = Named('DestinationTested', {
  record: Named('TestedRecord', { kind: Type.Enum([...FORWARDED_KINDS]), id: Id, name: Type.String() }),
  httpStatus: Type.Integer(),
});

/** Query of `GET /v1/destinations/{destinationId}/deliveries`. */
export const ListBatches = OnlyThese({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 25 }),
  success: Type.Optional(Type.Boolean({ description: 'Only successful or only failed attempts' })),
  before: Type.Optional(
    Type.String({ format: 'uuid', description: 'Id of the last one of the previous page' }),
  ),
});

/** An attempt to send a batch. */
export const BatchAttempt = Named('DestinationDelivery', {
  id: Id,
  messageId: Type.String({ description: 'Of the batch, the same for all its attempts' }),
  test: Type.Boolean(),
  records: Type.Array(
    Named(
      'DeliveredRecord',
      { kind: Type.Enum([...FORWARDED_KINDS]), id: Id },
      {
        description: 'Of the batch. An event has the id that the receiver gets: the client’s, if it sent one',
      },
    ),
  ),
  httpStatus: Type.Integer({ description: '0 if no call was made, or no response arrived' }),
  success: Type.Boolean(),
  summary: Nullable(Type.String(), { description: 'What became of the records; null if all were accepted' }),
  details: Type.String({
    description:
      'What the network said: JSON of the reasons for single records, or the start of its answer. Empty for viewers, and after an erasure',
  }),
  attemptNumber: Type.Integer(),
  durationMs: Type.Integer(),
  startedAt: Timestamp,
  nextAttemptAt: Nullable(Timestamp),
  givenUp: Type.Boolean({ description: 'A redelivery or a recovery sends the batch again' }),
});

/** None once they are erased. */
export function refsOf(row: LoggedAttempt): RecordRef[] {
  return row.request_body === '' ? [] : readBatch({ body: row.request_body });
}

/** @param toldIds ids as the receiver gets them, where they are others. */
export function presentBatchAttempt(
  row: LoggedAttempt,
  actor: Actor,
  toldIds: ReadonlyMap<string, string>,
): Static<typeof BatchAttempt> {
  const seesAll = seesAddress(actor, { sandboxOnly: 0 });
  return {
    id: row.id,
    messageId: row.message_id,
    test: isTest(row),
    records: refsOf(row).map(({ kind, id }) => ({ kind, id: toldIds.get(id) ?? id })),
    httpStatus: row.http_status,
    success: row.success === 1,
    summary: row.error_message,
    details: seesAll ? withToldIds(row, toldIds) : '',
    attemptNumber: row.attempt_number,
    durationMs: row.duration_ms,
    startedAt: row.started_at,
    nextAttemptAt: row.next_attempt_at,
    givenUp: row.given_up,
  };
}

/** Reasons name an example by its id. */
function withToldIds(row: LoggedAttempt, toldIds: ReadonlyMap<string, string>): string {
  const named = refsOf(row).filter(({ id }) => toldIds.has(id) && row.response_body.includes(id));
  return named.reduce((text, { id }) => text.replaceAll(id, toldIds.get(id) ?? id), row.response_body);
}
