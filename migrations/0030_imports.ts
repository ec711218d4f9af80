/**
 * Imports of links with what became of each row. Processes of the previous version may keep running: they know no imports.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function imports(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const statements = [
    `create table imports (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      source ${t.text} not null,
      dry_run ${t.flag} not null,
      sandbox ${t.flag} not null,
      status ${t.text} not null,
      owner ${t.uuid} not null,
      alive_until ${t.timestamp} not null,
      progress ${t.integer} not null default 0,
      judged_rows ${t.integer} not null default 0,
      created ${t.integer} not null default 0,
      unchanged ${t.integer} not null default 0,
      conflicts ${t.integer} not null default 0,
      failed ${t.integer} not null default 0,
      written_parts ${t.integer} not null default 0,
      columns ${t.json} not null default '{}',
      notes ${t.json} not null default '[]',
      failure_columns ${t.json} not null default '[]',
      error ${t.text},
      created_at ${t.timestamp} not null,
      completed_at ${t.timestamp},
      primary key (app_id, id)
    )${t.tableSuffix}`,
    // An app has one at a time, whatever the number of processes.
    "create unique index imports_running on imports (app_id) where status = 'running'",
    // What became of some hundred rows each: a row each would take as long to store as the links.
    `create table import_parts (
      app_id ${t.uuid} not null,
      import_id ${t.uuid} not null,
      number ${t.integer} not null,
      content ${t.text} not null,
      primary key (app_id, import_id, number)
    )${t.tableSuffix}`,
    // The index of entries that are deleted by age knows the actions of now.
    'drop index audit_log_of_changes',
    "create index audit_log_of_changes on audit_log (app_id, id) where action in ('conversion_values.updated', 'cost.deleted', 'costs.updated', 'import.ended', 'installs.deleted', 'link.created', 'link.deleted', 'link.updated', 'links.imported', 'records.exported', 'webhook.created', 'webhook.deleted', 'webhook.recovered', 'webhook.redelivered', 'webhook.tested', 'webhook.updated')",
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
