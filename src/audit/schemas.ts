import { type Static, Type } from 'typebox';
import { Id, JsonObject, Named, Timestamp } from '../server/schemas.ts';
import type { AuditEntry } from './queries.ts';

const page = {
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
  action: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only entries of this action, such as link.updated',
    }),
  ),
  before: Type.Optional(
    Type.String({
      description: 'Id of the last entry of the previous page, or a time: lists the entries before it',
    }),
  ),
};
/** Query of `GET /v1/admin/audit-log`. */
export const ListServiceAuditLog = Type.Object(page);
/** Query of `GET /v1/audit-log`. */
export const ListAuditLog = Type.Object({
  limit: page.limit,
  action: page.action,
  shortCode: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Only changes of this link, also after its deletion',
    }),
  ),
  before: page.before,
});

export const AuditLogEntry = Named('AuditLogEntry', {
  id: Id,
  action: Type.String({ description: 'Such as webhook.delivery_failed' }),
  details: JsonObject({
    description: 'Of an updated link, `changes` has the former (`from`) and the new value (`to`) by field',
  }),
  createdAt: Timestamp,
});

export function presentEntry({
  id,
  action,
  details,
  created_at: createdAt,
}: Omit<AuditEntry, 'app_id' | 'sandbox'>): Static<typeof AuditLogEntry> {
  return { id, action, details: JSON.parse(details) as Record<string, unknown>, createdAt };
}
