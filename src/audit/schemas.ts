import { type Static, Type } from 'typebox';
import { Id, JsonObject, Timestamp } from '../platform/http/schemas.ts';
import type { AuditEntry } from './queries.ts';

/** Query of `GET /v1/audit-log`. */
export const ListAuditLog = Type.Object({
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only entries of this action, such as link.updated',
    }),
  ),
  before: Type.Optional(
    Type.String({ description: 'Id of the last entry seen, or a time: the entries before it follow' }),
  ),
});

/** One of what `GET /v1/audit-log` answers. */
export const AuditLogEntry = Type.Object({
  id: Id,
  action: Type.String({ description: 'What happened, such as webhook.delivery_failed' }),
  details: JsonObject(),
  createdAt: Timestamp,
});

export function presentEntry({
  id,
  action,
  details,
  created_at: createdAt,
}: AuditEntry): Static<typeof AuditLogEntry> {
  return { id, action, details: JSON.parse(details) as Record<string, unknown>, createdAt };
}
