/**
 * Daily limits of events and installs: `daily_usage` counts records and bytes of a day, and apps may override the default
 * limits. Processes of the previous version may keep running; their records are not counted.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function dailyUsage(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `create table daily_usage (
      app_id ${t.uuid} not null,
      day ${t.text} not null,
      kind ${t.text} not null,
      subject ${t.uuid} not null,
      records ${t.integer} not null,
      bytes ${t.integer} not null,
      primary key (app_id, day, kind, subject)
    )${t.keyedTableSuffix}`,
    `alter table apps add column daily_event_limit ${t.integer}`,
    `alter table apps add column daily_event_bytes ${t.integer}`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
