/**
 * Counts of installs that ad networks claim, with their revenue, and the names that networks give their campaigns. Stop
 * processes of the previous version before: they would fold these counts without storing them.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function networkCounts(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table count_days add column network_installs ${t.integer} not null default 0`,
    `alter table count_days add column network_cohort_revenue ${t.text}`,
    `create table network_campaigns (
      app_id ${t.uuid} not null,
      network ${t.text} not null,
      campaign_id ${t.text} not null,
      name ${t.text} not null,
      primary key (app_id, network, campaign_id)
    )${t.keyedTableSuffix}`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
