/**
 * Changes of accounts that belong to no app get a log of their own, which a cluster keeps on the coordinator beside the
 * accounts: no node has to be there for a new password. Processes of the previous version may keep running: their entries
 * stay in the other log and are not listed.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

/** What belonged to no app. */
const NO_APP = '00000000-0000-0000-0000-000000000000';

export async function serviceLog(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `create table service_log (
      id ${t.uuid} not null primary key,
      action ${t.text} not null,
      details ${t.json} not null,
      created_at ${t.timestamp} not null
    )${t.tableSuffix}`,
    `insert into service_log (id, action, details, created_at)
      select id, action, details, created_at from audit_log where app_id = '${NO_APP}'`,
    `delete from audit_log where app_id = '${NO_APP}'`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
