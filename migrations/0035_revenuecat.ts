/**
 * Identifiers of other systems that an app tells of its installs; what RevenueCat tells of purchases: how many events of each
 * kind, and those of users whom the app has not told yet. Processes of the previous version may keep running: they store
 * `set_identifiers` as any other event, and know no RevenueCat.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function revenuecat(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table installs add column identifiers ${t.text}`,
    // When each of them was told, so that a late call replaces no newer one.
    `alter table installs add column identifier_times ${t.text}`,
    // SHA-256 of what RevenueCat sends as `Authorization`.
    `alter table apps add column revenuecat_key ${t.text}`,
    `create table revenuecat_kinds (
      app_id ${t.uuid} not null,
      kind ${t.text} not null,
      received ${t.integer} not null,
      dropped ${t.integer} not null default 0,
      received_at ${t.timestamp} not null,
      primary key (app_id, kind)
    )${t.tableSuffix}`,
    `create table revenuecat_waiting (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      kind ${t.text} not null,
      sandbox ${t.flag} not null,
      received_at ${t.timestamp} not null,
      content ${t.text} not null,
      primary key (app_id, id)
    )${t.tableSuffix}`,
    'create index revenuecat_waiting_by_time on revenuecat_waiting (app_id, sandbox, received_at)',
    // Keyed hashes of the user's identifiers, by which the event is found.
    `create table revenuecat_waiting_users (
      app_id ${t.uuid} not null,
      mark ${t.uuid} not null,
      waiting_id ${t.uuid} not null,
      primary key (app_id, mark, waiting_id)
    )${t.keyedTableSuffix}`,
    'create index revenuecat_waiting_users_by_event on revenuecat_waiting_users (app_id, waiting_id)',
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
