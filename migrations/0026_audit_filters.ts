/**
 * Indexes find the audit log entries of an author and of a record, and the one of entries that are deleted by age knows
 * the actions of now. Processes of the previous version may keep running.
 */
import { type Kysely, sql } from 'kysely';

export async function auditFilters(db: Kysely<unknown>): Promise<void> {
  const statements = [
    "create index audit_log_by_actor on audit_log (app_id, (coalesce(details ->> 'userId', details ->> 'keyId', details ->> 'changedBy')), id) where details ->> 'changedBy' is not null",
    "create index audit_log_by_record on audit_log (app_id, (coalesce(details ->> 'recordId', details ->> 'webhookId')), id)",
    'drop index audit_log_of_changes',
    "create index audit_log_of_changes on audit_log (app_id, id) where action in ('conversion_values.updated', 'cost.deleted', 'costs.updated', 'installs.deleted', 'link.created', 'link.deleted', 'link.updated', 'records.exported', 'webhook.created', 'webhook.deleted', 'webhook.recovered', 'webhook.redelivered', 'webhook.tested', 'webhook.updated')",
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
