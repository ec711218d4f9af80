/**
 * Keys have a name, say who made them, and may end on a day, once another key has taken their place; publishable keys can
 * be read again. Processes of the previous version may keep running: keys that they make have none of it, and they accept
 * a key that has ended.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function keyNames(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const columns = [
    `name ${t.text}`,
    `maker ${t.text}`,
    `public_key ${t.text}`,
    `ends_at ${t.timestamp}`,
    `replaces ${t.uuid}`,
    `replaced_by ${t.uuid}`,
  ];
  for (const column of columns) await sql.raw(`alter table api_keys add column ${column}`).execute(db);
}
