/**
 * An erasure may leave out what nobody is known to have made, and says which identifiers it was asked for by, once these are
 * gone. Processes of the previous version may keep running, but must not take new erasures: they leave nothing out.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function erasuresWithChoice(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const columns = [`spare_shared ${t.flag} not null default 0`, `identifiers ${t.text}`];
  for (const column of columns)
    await sql.raw(`alter table erasure_requests add column ${column}`).execute(db);
}
