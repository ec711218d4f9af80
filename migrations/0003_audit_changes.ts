/**
 * An index finds the oldest audit log entries of changes by API keys, which retention drops. Processes of the previous
 * version may keep running; they record no changes.
 */
import { type Kysely, sql } from 'kysely';

export async function auditChanges(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index audit_log_of_changes on audit_log (app_id, id) where action in ('conversion_values.updated', 'installs.deleted', 'link.created', 'link.updated', 'link.deleted', 'webhook.created', 'webhook.updated', 'webhook.deleted')`,
    )
    .execute(db);
}
