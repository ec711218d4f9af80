/**
 * Links have paths, titles, tags, rules and what else teams bring along; clicks tell which rule they got, installs who
 * invited them. Stop processes of the previous version before: they know no paths, and follow no rules.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function linkFields(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  const add = (table: string, column: string) => `alter table ${table} add column ${column}`;
  const statements = [
    add('links', `title ${t.text}`),
    add('links', `tags ${t.json} not null default '[]'`),
    add('links', `path ${t.text}`),
    add('links', `pass_path ${t.flag} not null default 0`),
    add('links', `rules ${t.json} not null default '[]'`),
    // Null for the default of the service.
    add('links', `pass_query ${t.json}`),
    add('links', `expired_url ${t.text}`),
    add('links', `gone_when_expired ${t.flag} not null default 0`),
    add('links', `min_app_version ${t.json}`),
    add('links', `imported_clicks ${t.integer}`),
    add('links', `invited_by ${t.uuid}`),
    'create unique index links_by_path on links (app_id, path) where path is not null',
    'create index links_by_path_letters on links (app_id, lower(path)) where path is not null',
    'create index links_of_team on links (app_id, id) where invited_by is null',
    'create index links_by_inviter on links (app_id, invited_by, id) where invited_by is not null',
    `create table link_tags (
      app_id ${t.uuid} not null,
      tag ${t.text} not null,
      link_id ${t.uuid} not null,
      primary key (app_id, tag, link_id)
    )${t.tableSuffix}`,
    // Every rule that a link ever had: clicks refer to it.
    `create table link_rules (
      app_id ${t.uuid} not null,
      link_id ${t.uuid} not null,
      id ${t.text} not null,
      rule ${t.json} not null,
      primary key (app_id, link_id, id)
    )${t.tableSuffix}`,
    add('clicks', `rule_id ${t.text}`),
    add('clicks', `path_rest ${t.text}`),
    add('installs', `invited_by ${t.uuid}`),
    'create index installs_by_inviter on installs (app_id, invited_by, installed_at, id) where invited_by is not null',
    // Finds the cells of an inviter, for an erasure.
    `create index count_days_by_inviter on count_days (app_id, value) where dimension = 'inviter'`,
    `create index count_quarters_by_inviter on count_quarters (app_id, value) where dimension = 'inviter'`,
    add('apps', `root_url ${t.text}`),
    add('apps', `not_found_url ${t.text}`),
    add('apps', `firebase_long_links ${t.json}`),
    add('apps', `app_links ${t.json}`),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}
