/**
 * How often the fingerprint is right, as counts by day, and the threshold of each app. Processes of the previous version
 * may keep running: they match with the default threshold and measure nothing.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function accuracy(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table apps add column fingerprint_threshold_percent ${t.integer} not null default 70`,
    `alter table apps add column measure_accuracy ${t.flag} not null default 1`,
    `create table accuracy_counts (
      app_id ${t.uuid} not null,
      day ${t.text} not null,
      platform ${t.text} not null,
      verdict ${t.text} not null,
      percent ${t.integer} not null,
      installs ${t.integer} not null,
      primary key (app_id, day, platform, verdict, percent)
    )${t.keyedTableSuffix}`,
    // Of a day's certain installs, one in 2^halvings is kept.
    `create table accuracy_days (
      app_id ${t.uuid} not null,
      day ${t.text} not null,
      halvings ${t.integer} not null,
      primary key (app_id, day)
    )${t.keyedTableSuffix}`,
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
