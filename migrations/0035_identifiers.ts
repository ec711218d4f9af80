/**
 * Installs keep the identifiers of other systems that the app tells. Processes of the previous version may keep running: they
 * store the event that tells them as any other.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function identifiers(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql.raw(`alter table installs add column identifiers ${t.text}`).execute(db);
}
