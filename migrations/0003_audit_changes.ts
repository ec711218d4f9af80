/**
 * The audit log has changes that keys make, which are dropped by age: an index leads to the oldest of them. Processes of
 * the version before may keep running; they record no changes.
 */
import { type Kysely, sql } from 'kysely';

export async function auditChanges(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index audit_log_of_changes on audit_log (app_id, id) where action in ('conversion_values.updated', 'installs.deleted', 'link.created', 'link.updated', 'link.deleted', 'webhook.created', 'webhook.updated', 'webhook.deleted')`,
    )
    .execute(db);
}
