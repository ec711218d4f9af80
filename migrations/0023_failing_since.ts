/**
 * The last results of a webhook, and since when it fails, are in a row of their own, in place of one in each hour.
 * Processes of the previous version may keep running: their results are in the counts alone.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function failingSince(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table webhook_hours add column failing_since ${t.timestamp}`,
    `insert into webhook_hours
      select app_id, webhook_id, '1970-01-01T00:00:00.000Z', 0, 0, max(last_success_at), max(last_failure_at), null
      from webhook_hours group by app_id, webhook_id`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
