/**
 * Limits unverified postbacks in size and number: counts omitted fields, and an index finds the oldest of all apps.
 * Processes of the previous version may keep running; they list postbacks more slowly.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

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
