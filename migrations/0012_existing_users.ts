/**
 * Installs of people who had the app before its SDK are marked and counted apart, and tombstones tell of installs that were
 * erased or deleted on purpose. Processes of the previous version may keep running: they record existing users as new
 * installs, and their folds leave out the existing users of the time.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function existingUsers(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table installs add column existing_user ${t.flag}`,
    `alter table count_days add column existing_users ${t.integer} not null default 0`,
    `create table gone_installs (
      app_id ${t.uuid} not null,
      install_mark ${t.uuid} not null,
      gone_at ${t.timestamp} not null,
      primary key (app_id, install_mark)
    )${t.keyedTableSuffix}`,
    'create index gone_installs_by_time on gone_installs (app_id, gone_at)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
