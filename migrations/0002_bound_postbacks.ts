/**
 * Postbacks that anybody can send are cut and bounded in number: which fields were left out is counted, and the oldest of
 * all apps are found by an index. Processes of the version before may keep running; they read postbacks more slowly.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/platform/db/index.ts';

export async function boundPostbacks(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const statement of statements(types)) await sql.raw(statement).execute(db);
}

function statements(t: ColumnTypes): string[] {
  return [
    `alter table postbacks add column fields_left_out ${t.integer} not null default 0`,
    "create index postbacks_unproven on postbacks (id) where (verdict <> 'verified' or app_id = '00000000-0000-0000-0000-000000000000')",
    'drop index postbacks_not_verified',
  ];
}
