/**
 * The counts of each hour know since when a webhook fails. Processes of the previous version may keep running: what they
 * count leaves it as it is.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function failingSince(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql.raw(`alter table webhook_hours add column failing_since ${t.timestamp}`).execute(db);
}
