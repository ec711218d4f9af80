/**
 * A process tells an erasure in another one the apps whose clicks it could not store, so that the erasures of all other apps
 * complete. Processes of the previous version may keep running.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function appsBehind(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  await sql.raw(`alter table journals add column apps_behind ${t.text}`).execute(db);
}
