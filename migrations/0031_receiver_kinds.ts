/**
 * Rows of `webhooks` have a kind: webhooks, destinations, and the receiver of Apple's tokens. Records that destinations take
 * are in a feed until batches of them are formed; installs and opens remember weak consent. Processes of the previous
 * version would take the others for webhooks: stop them before there are any.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function receiverKinds(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `alter table webhooks add column kind ${t.text} not null default 'webhook'`,
    `alter table webhooks add column name ${t.text}`,
    `alter table webhooks add column type ${t.text}`,
    `alter table webhooks add column config ${t.json}`,
    `alter table webhooks add column event_names ${t.json}`,
    `alter table webhooks add column mapping ${t.json}`,
    `alter table webhooks add column consent ${t.text}`,
    `alter table installs add column deterministic_only ${t.flag}`,
    `alter table installs add column consented_at ${t.timestamp}`,
    `alter table opens add column deterministic_only ${t.flag}`,
    `create table destination_feed (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      records ${t.text} not null,
      primary key (app_id, id)
    )${t.keyedTableSuffix}`,
    // The index of entries that are deleted by age knows the actions of now.
    'drop index audit_log_of_changes',
    "create index audit_log_of_changes on audit_log (app_id, id) where action in ('conversion_values.updated', 'cost.deleted', 'costs.updated', 'destination.created', 'destination.deleted', 'destination.recovered', 'destination.redelivered', 'destination.tested', 'destination.updated', 'import.ended', 'installs.deleted', 'link.created', 'link.deleted', 'link.updated', 'links.imported', 'records.exported', 'webhook.created', 'webhook.deleted', 'webhook.recovered', 'webhook.redelivered', 'webhook.tested', 'webhook.updated')",
    "create index audit_log_of_destinations on audit_log (app_id, id) where action = 'destination.delivery_failed'",
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
