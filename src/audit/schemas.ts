import { Type } from 'typebox';
import { Id, Named, Nullable, OnlyThese, SentAsIs, Timestamp } from '../server/schemas.ts';
import { ACTIONS, RESOURCE_TYPES, SERVICE_ACTIONS } from './actions.ts';

const MAX_ACTION_CHARACTERS = 500;
const AUTHORS = ['user', 'key', 'admin', 'command_line', 'first_start'] as const;
const Cursor = (side: string) =>
  Type.Optional(Type.String({ description: `Id of an entry, or a time: lists the entries ${side} it` }));

const page = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: MAX_ACTION_CHARACTERS,
      description:
        'Only these actions: such as link.updated, link for all that begin with it, or several by comma',
    }),
  ),
  actor: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description:
        'Only what this author did: the id of a user or of a key, admin for the admin token (API or command line), first_start, or service for what nobody asked for',
    }),
  ),
  resource: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Only entries about the record with this id' }),
  ),
  from: Type.Optional(Type.String({ description: 'Included: a date-time such as 2026-01-31T12:00:00Z' })),
  to: Type.Optional(Type.String({ description: 'Excluded' })),
  order: Type.Optional(Type.Enum(['asc', 'desc'], { default: 'desc' })),
  before: Cursor('before'),
  after: Cursor('after'),
};
/** Query of `GET /v1/admin/audit-log`. */
export const ListServiceAuditLog = OnlyThese(page);
/** Query of `GET /v1/audit-log`. */
export const ListAuditLog = OnlyThese({
  ...page,
  shortCode: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only changes of this link, also after its deletion',
    }),
  ),
});

const Value = Type.Optional(
  Type.Unsafe<string | number | boolean | null | readonly unknown[]>({
    type: ['string', 'number', 'boolean', 'array', 'null'],
  }),
);
const text = Type.Optional(Type.String());
const count = Type.Optional(Type.Integer());
const AuditDetails = Named('AuditDetails', {
  changedBy: Type.Optional(Type.Enum([...AUTHORS])),
  userId: Type.Optional(Id),
  userEmail: Type.Optional(Type.String({ description: 'At the time of the change' })),
  keyId: Type.Optional(Id),
  recordId: Type.Optional(Type.String({ description: 'Of what changed' })),
  changes: Type.Optional(
    Type.Unsafe<Record<string, { from?: unknown; to?: unknown }>>({
      type: 'object',
      description:
        'Of an update: the fields that have another value than before, with both values; a field whose values the log does not keep has neither',
      additionalProperties: Named('AuditValueChange', { from: Value, to: Value }),
    }),
  ),
  fields: Type.Optional(Type.Array(Type.String(), { description: 'Of a creation: the given fields' })),
  batch: Type.Optional(Type.String({ description: 'Common to what one call did to several links' })),
  ...{ name: text, kind: text, shortCode: text, role: text, email: text, address: text, replaces: text },
  ...{ replacedBy: text, method: text, records: text, format: text, since: text, messages: count },
  ...{ created: count, replaced: count, failed: count, deleted: count },
  ...{ installs: count, opens: count, events: count, attempts: count },
  ...{ eventType: text, messageId: text, error: Type.Optional(Nullable(Type.String())) },
  identifiers: Type.Optional(Type.Array(Type.String(), { description: 'Of a person: ipAddress, userId' })),
  requesterEmail: Type.Optional(Nullable(Type.String())),
});

export const AuditLogEntry = Named('AuditLogEntry', {
  id: Id,
  action: Type.Enum([...new Set([...ACTIONS, ...SERVICE_ACTIONS])]),
  createdAt: Timestamp,
  actor: Named('AuditActor', {
    type: Type.Enum([...AUTHORS, 'service'], {
      description: 'admin is the admin token by the API; service is what nobody asked for',
    }),
    id: Nullable(Id),
    name: Nullable(Type.String(), {
      description:
        'Of a user or a key as it is now; of a key without a name its first and last characters. Null for a deleted user',
    }),
    email: Nullable(Type.String(), {
      description: 'Of a user as it is now; of a deleted one as it was at the time',
    }),
  }),
  resource: Named('AuditResource', {
    type: Type.Enum([...RESOURCE_TYPES]),
    id: Nullable(Type.String()),
    name: Nullable(Type.String(), {
      description: 'A short code, the name of a key or of the app, the host of a webhook, an email',
    }),
    exists: Type.Boolean({ description: 'Whether it can still be read' }),
  }),
  details: SentAsIs(AuditDetails, { description: 'As it was recorded, with further fields by action' }),
});
