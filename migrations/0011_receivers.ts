/**
 * Receivers are paced and may ask for a pause; webhooks choose how long they retry; messages that no attempt delivered can
 * be sent again; results are counted by hour. Processes of the previous version may keep running: they neither pace nor
 * pause, and what they give up is not sent again.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function receivers(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  for (const statement of statements(t)) await sql.raw(statement).execute(db);
}

function statements(t: ColumnTypes): string[] {
  return [
    `alter table webhooks add column retries ${t.text} not null default 'standard'`,
    `alter table webhook_deliveries add column deferrals ${t.integer} not null default 0`,
    `alter table webhook_deliveries add column is_repeat ${t.flag} not null default 0`,
    `create table webhook_receivers (
      id ${t.text} not null primary key,
      next_attempt_at ${t.timestamp} not null,
      paused_until ${t.timestamp}
    )${t.keyedTableSuffix}`,
    `create table webhook_failures (
      app_id ${t.uuid} not null,
      webhook_id ${t.uuid} not null,
      message_id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      primary key (app_id, webhook_id, message_id)
    )${t.keyedTableSuffix}`,
    `create table webhook_hours (
      app_id ${t.uuid} not null,
      webhook_id ${t.uuid} not null,
      hour ${t.timestamp} not null,
      delivered ${t.integer} not null,
      failed ${t.integer} not null,
      last_success_at ${t.timestamp},
      last_failure_at ${t.timestamp},
      primary key (app_id, webhook_id, hour)
    )${t.keyedTableSuffix}`,
  ];
}
