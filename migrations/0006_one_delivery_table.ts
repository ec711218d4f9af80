/**
 * One table for deliveries that are due or in flight: an update starts an attempt, where a delivery moved from one table to
 * another. Stop processes of the previous version before: they know only the former tables.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function oneDeliveryTable(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const statement of statements(types)) await sql.raw(statement).execute(db);
}

function statements(t: ColumnTypes): string[] {
  const leaseUntil =
    t.engine === 'postgres'
      ? "started_at + interval '15 seconds'"
      : "strftime('%Y-%m-%dT%H:%M:%fZ', started_at, '+15 seconds')";
  return [
    `create table webhook_deliveries (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      webhook_id ${t.uuid} not null,
      message_id ${t.uuid} not null,
      status ${t.flag} not null,
      failed_attempts ${t.integer} not null,
      next_attempt_at ${t.timestamp} not null,
      lease_until ${t.timestamp},
      webhook_url ${t.text},
      primary key (app_id, id)
    )${t.tableSuffix}`,
    `insert into webhook_deliveries (app_id, id, webhook_id, message_id, status, failed_attempts, next_attempt_at)
      select app_id, id, webhook_id, message_id, 0, failed_attempts, due_at from webhook_deliveries_due`,
    `insert into webhook_deliveries
      select app_id, id, webhook_id, message_id, 1, failed_attempts, started_at, ${leaseUntil}, webhook_url
      from webhook_attempts_under_way`,
    'drop table webhook_deliveries_due',
    'drop table webhook_attempts_under_way',
    'create index webhook_deliveries_due on webhook_deliveries (webhook_id, next_attempt_at) where status = 0',
    'create index webhook_deliveries_leased on webhook_deliveries (lease_until) where status = 1',
  ];
}
