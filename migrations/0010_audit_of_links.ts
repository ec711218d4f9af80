/**
 * An index finds the audit log entries of a link by its short code, which no other link gets. Processes of the previous
 * version may keep running.
 */
import { type Kysely, sql } from 'kysely';

export async function auditOfLinks(db: Kysely<unknown>): Promise<void> {
  await sql
    .raw(
      `create index audit_log_of_links on audit_log (app_id, (details ->> 'shortCode'), id) where action in ('link.created', 'link.updated', 'link.deleted')`,
    )
    .execute(db);
}
