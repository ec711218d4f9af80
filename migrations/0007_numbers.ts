/**
 * Statistics by source and country. Transactions append what they count to `pending_counts`, which is folded into the
 * roll-ups `count_days`, `count_quarters`, `link_days` and `cohort_days`; records keep the source of their click. Stop
 * processes of the previous version before: they write `daily_counts`, which moves to `pending_counts`.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function numbers(db: Kysely<unknown>, t: ColumnTypes): Promise<void> {
  for (const statement of [...recordColumns(t), ...pendingCounts(t), ...rollUps(t), ...INDEXES])
    await sql.raw(statement).execute(db);
}

function recordColumns(t: ColumnTypes): string[] {
  const source = (table: string) => [
    `alter table ${table} add column country ${t.text}`,
    `alter table ${table} add column referrer ${t.text}`,
    `alter table ${table} add column utm ${t.text}`,
    `alter table ${table} add column erased ${t.flag}`,
  ];
  const add = (table: string, column: string, type: string) =>
    `alter table ${table} add column ${column} ${type}`;
  return [
    ...source('clicks'),
    add('clicks', 'query', t.text),
    ...source('installs'),
    // The link and source of the latest open by a link, as JSON.
    add('installs', 'last_open', t.text),
    // Bit N: the install was active N days after the day of its install.
    add('installs', 'active_days', t.integer),
    ...source('opens'),
    add('events', 'erased', t.flag),
    add('events', 'link_id', t.uuid),
    add('events', 'campaign_id', t.text),
    add('events', 'platform', t.text),
    add('events', 'country', t.text),
    add('events', 'last_link_id', t.uuid),
    add('events', 'last_campaign_id', t.text),
    // A decimal, as text so that SQLite keeps it exact.
    add('events', 'revenue_amount', t.text),
    add('events', 'revenue_currency', t.text),
    `update events set
      link_id = (select i.link_id from installs i where i.app_id = events.app_id and i.id = events.install_id),
      campaign_id = (select i.campaign_id from installs i where i.app_id = events.app_id and i.id = events.install_id),
      platform = (select i.platform from installs i where i.app_id = events.app_id and i.id = events.install_id)`,
  ];
}

function pendingCounts(t: ColumnTypes): string[] {
  const isPostgres = t.engine === 'postgres';
  const id = isPostgres
    ? 'text not null default (gen_random_uuid()::text)'
    : 'text not null default (lower(hex(randomblob(16))))';
  const [array, list] = isPostgres ? ['json_build_array', 'json_agg'] : ['json_array', 'json_group_array'];
  const fact = `${array}(sandbox,
    day || 'T12:00', kind, case when link_id = '00000000-0000-0000-0000-000000000000' then null else link_id end,
    campaign_id, platform, method, visitor, '', '', '', '', '', '', '', n)`;
  const facts = isPostgres ? `${list}(${fact})::text` : `${list}(json(${fact}))`;
  return [
    // Each row has a JSON list of facts, in the order of their fields.
    `create table pending_counts (
      app_id ${t.uuid} not null,
      id ${id},
      facts ${t.text} not null,
      primary key (app_id, id)
    )${t.tableSuffix}`,
    `insert into pending_counts (app_id, facts) select app_id, ${facts} from daily_counts group by app_id, day`,
    'drop table daily_counts',
  ];
}

function rollUps(t: ColumnTypes): string[] {
  const cellKey = ['scope', 'dimension', 'day', 'value', 'platform'];
  const cells = `app_id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      ${cellKey.map((column) => `${column} ${t.text} not null`).join(',\n      ')}`;
  const metrics = [
    'clicks',
    'other_clicks',
    'installs',
    'attributed_installs',
    'opens',
    'direct_opens',
    'events',
    'credited_events',
    'tool_clicks',
  ];
  return [
    `create table count_days (
      ${cells},
      ${metrics.map((column) => `${column} ${t.integer} not null`).join(',\n      ')},
      revenue ${t.text},
      credited_revenue ${t.text},
      primary key (app_id, sandbox, ${cellKey.join(', ')})
    )${t.keyedTableSuffix}`,
    `create table count_quarters (
      ${cells},
      quarters ${t.text} not null,
      primary key (app_id, sandbox, ${cellKey.join(', ')})
    )${t.keyedTableSuffix}`,
    `create table link_days (
      app_id ${t.uuid} not null,
      link_id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      day ${t.text} not null,
      campaign_id ${t.text} not null,
      cells ${t.text} not null,
      primary key (app_id, link_id, sandbox, day, campaign_id)
    )${t.tableSuffix}`,
    `create table cohort_days (
      app_id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      day ${t.text} not null,
      link_id ${t.text} not null,
      campaign_id ${t.text} not null,
      method ${t.text} not null,
      installs ${t.integer} not null,
      active ${t.text} not null,
      primary key (app_id, sandbox, day, link_id, campaign_id, method)
    )${t.keyedTableSuffix}`,
  ];
}

const INDEXES = [
  'create index clicks_by_link on clicks (app_id, link_id, id)',
  'create index installs_by_link on installs (app_id, link_id, installed_at, id)',
  'create index opens_by_link on opens (app_id, link_id, opened_at, id)',
  'create index opens_by_time on opens (app_id, opened_at, id)',
  'create index events_by_link on events (app_id, link_id, id)',
];
