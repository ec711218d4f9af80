/** What a team spends, by day and campaign. Processes of the previous version may keep running. */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function costs(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `create table costs (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      day ${t.text} not null,
      network ${t.text} not null,
      campaign_id ${t.text} not null,
      currency ${t.text} not null,
      amount ${t.text} not null,
      created_at ${t.timestamp} not null,
      updated_at ${t.timestamp} not null,
      primary key (app_id, id)
    )${t.tableSuffix}`,
    'create unique index costs_by_day on costs (app_id, sandbox, day, network, campaign_id, currency)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
