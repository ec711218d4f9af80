/**
 * The initial schema. Tenant tables have `app_id` first in their primary key, so that they can be sharded by it; others
 * are directories (`short_codes`, `api_key_hashes`) and the server's own tables.
 */
import { type Kysely, sql } from 'kysely';
import type { ColumnTypes } from '../src/db/index.ts';

export async function initial(db: Kysely<unknown>, types: ColumnTypes): Promise<void> {
  for (const statement of statements(types)) await sql.raw(statement).execute(db);
}

function statements(t: ColumnTypes): string[] {
  const device = `
      platform ${t.text} not null,
      ip_hash ${t.text},
      user_agent ${t.text},
      device_model ${t.text},
      os_version ${t.text},
      locale ${t.text},
      fingerprint ${t.json}`;
  const outcome = `
      attribution_method ${t.text} not null,
      click_id ${t.uuid},
      link_id ${t.uuid},
      campaign_id ${t.text},
      confidence ${t.text},
      answer ${t.json} not null,
      trace ${t.json} not null`;

  const tables = [
    `create table apps (
      id ${t.uuid} not null primary key,
      name ${t.text} not null,
      ios_bundle_id ${t.text},
      ios_team_id ${t.text},
      ios_app_store_id ${t.text},
      android_package ${t.text},
      android_cert_fingerprints ${t.json} not null,
      url_scheme ${t.text},
      short_link_host ${t.text},
      ios_destination ${t.text},
      android_destination ${t.text},
      fallback_url ${t.text},
      landing_page ${t.text} not null,
      clipboard_token ${t.flag} not null,
      referrer_window_hours ${t.integer} not null,
      click_id_window_hours ${t.integer} not null,
      fingerprint_window_hours ${t.integer} not null,
      fingerprint_ios ${t.flag} not null,
      fingerprint_android ${t.flag} not null,
      links_revision ${t.integer} not null,
      created_at ${t.timestamp} not null,
      updated_at ${t.timestamp} not null
    )`,
    `create table bootstraps (
      id ${t.integer} not null primary key check (id = 1),
      app_id ${t.uuid} not null,
      secret_mark ${t.text} not null,
      made_at ${t.timestamp} not null
    )`,
    `create table moves (
      id ${t.integer} not null primary key check (id = 1),
      move_id ${t.uuid} not null,
      began_at ${t.timestamp} not null,
      ended_at ${t.timestamp}
    )`,
    `create table api_keys (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      kind ${t.text} not null,
      hint ${t.text} not null,
      hash ${t.text} not null,
      created_at ${t.timestamp} not null,
      last_used_at ${t.timestamp},
      revoked_at ${t.timestamp},
      primary key (app_id, id)
    )`,
    `create table api_key_hashes (
      hash ${t.text} not null primary key,
      app_id ${t.uuid} not null,
      key_id ${t.uuid} not null
    )`,
    `create table idempotency_keys (
      app_id ${t.uuid} not null,
      scope ${t.text} not null,
      idempotency_key ${t.text} not null,
      request_hash ${t.text} not null,
      status ${t.integer} not null,
      response ${t.json} not null,
      created_at ${t.timestamp} not null,
      primary key (app_id, scope, idempotency_key)
    )`,
    `create table links (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      short_code ${t.text} not null,
      deep_link_path ${t.text} not null,
      deep_link_params ${t.json} not null,
      campaign_id ${t.text},
      ios_destination ${t.text},
      android_destination ${t.text},
      fallback_url ${t.text},
      og_title ${t.text},
      og_description ${t.text},
      og_image ${t.text},
      landing_page ${t.text},
      metadata ${t.json} not null,
      sandbox ${t.flag} not null,
      expires_at ${t.timestamp},
      created_at ${t.timestamp} not null,
      updated_at ${t.timestamp} not null,
      deleted_at ${t.timestamp},
      primary key (app_id, id)
    )`,
    `create table short_codes (
      code ${t.text} not null primary key,
      app_id ${t.uuid} not null,
      link_id ${t.uuid} not null
    )`,
    `create table clicks (
      ${t.arrival}
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      link_id ${t.uuid} not null,
      campaign_id ${t.text},
      sandbox ${t.flag} not null,
      visitor ${t.text} not null,
      visitor_reason ${t.text},
      platform ${t.text},
      ip_hash ${t.text},
      user_agent ${t.text},
      accept_language ${t.text},
      device_model ${t.text},
      fingerprint ${t.json},
      signals_at ${t.timestamp},
      clicked_at ${t.timestamp} not null,
      claimed_by_install ${t.uuid},
      claimed_by_open ${t.uuid},
      ${t.arrival === '' ? 'primary key' : 'unique'} (app_id, id)
    )${t.partitionedByTime}`,
    `create table installs (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      user_id ${t.text},
      installed_at ${t.timestamp} not null,${device},${outcome},
      primary key (app_id, id)
    )`,
    `create table opens (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      install_id ${t.uuid},
      sandbox ${t.flag} not null,
      user_id ${t.text},
      opened_at ${t.timestamp} not null,${device},${outcome},
      primary key (app_id, id)
    )`,
    `create table events (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      client_event_id ${t.uuid},
      install_id ${t.uuid} not null,
      event_name ${t.text} not null,
      properties ${t.json} not null,
      user_id ${t.text},
      sandbox ${t.flag} not null,
      occurred_at ${t.timestamp} not null,
      created_at ${t.timestamp} not null,
      primary key (app_id, id)
    )${t.partitionedByTime}`,
    `create table event_ids (
      app_id ${t.uuid} not null,
      mark ${t.uuid} not null,
      event_id ${t.uuid} not null,
      install_id ${t.uuid} not null,
      primary key (app_id, mark)
    )`,
    `create table webhooks (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      url ${t.text} not null,
      secret ${t.text},
      former_secret ${t.text},
      former_secret_until ${t.timestamp},
      events ${t.json} not null,
      enabled ${t.flag} not null,
      template ${t.text},
      template_config ${t.json},
      created_at ${t.timestamp} not null,
      updated_at ${t.timestamp} not null,
      primary key (app_id, id)
    )`,
    `create table webhook_messages (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      event_type ${t.text} not null,
      sandbox ${t.flag} not null,
      record_id ${t.uuid} not null,
      body ${t.text} not null,
      primary key (app_id, id)
    )${t.partitionedByTime}`,
    `create table webhook_deliveries_due (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      webhook_id ${t.uuid} not null,
      message_id ${t.uuid} not null,
      failed_attempts ${t.integer} not null,
      due_at ${t.timestamp} not null,
      primary key (app_id, id)
    )`,
    `create table webhook_attempts_under_way (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      webhook_id ${t.uuid} not null,
      message_id ${t.uuid} not null,
      webhook_url ${t.text} not null,
      failed_attempts ${t.integer} not null,
      started_at ${t.timestamp} not null,
      primary key (app_id, id)
    )`,
    `create table webhook_attempts (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      webhook_id ${t.uuid} not null,
      message_id ${t.uuid} not null,
      event_type ${t.text} not null,
      sandbox ${t.flag} not null,
      webhook_url ${t.text} not null,
      http_status ${t.integer} not null,
      response_body ${t.text} not null,
      error_message ${t.text},
      attempt_number ${t.integer} not null,
      success ${t.flag} not null,
      duration_ms ${t.integer} not null,
      started_at ${t.timestamp} not null,
      primary key (app_id, id)
    )${t.partitionedByTime}`,
    ...postbackTables(t),
    `create table audit_log (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      action ${t.text} not null,
      details ${t.json} not null,
      sandbox ${t.flag} not null,
      created_at ${t.timestamp} not null,
      primary key (app_id, id)
    )`,
    `create table erasure_requests (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      ip_hash ${t.text},
      user_id ${t.text},
      requested_at ${t.timestamp} not null,
      ways_found_at ${t.timestamp},
      scrubbed_at ${t.timestamp},
      completed_at ${t.timestamp},
      counts ${t.json} not null,
      primary key (app_id, id)
    )`,
    `create table erasure_ways (
      app_id ${t.uuid} not null,
      request_id ${t.uuid} not null,
      kind ${t.text} not null,
      value ${t.text} not null,
      primary key (app_id, request_id, kind, value)
    )`,
    `create table erased_addresses (
      app_id ${t.uuid} not null,
      address_mark ${t.text} not null,
      sandbox_only ${t.flag} not null,
      erased_until ${t.timestamp} not null,
      primary key (app_id, address_mark, sandbox_only)
    )`,
    `create table journals (
      id ${t.uuid} not null primary key,
      seen_at ${t.timestamp} not null,
      flush_wanted_at ${t.timestamp},
      flushed_at ${t.timestamp}
    )`,
    `create table leases (
      name ${t.text} not null primary key,
      holder ${t.uuid} not null,
      held_until ${t.timestamp} not null
    )`,
  ].map((table) => table + t.tableSuffix);

  const own = t.engine === 'postgres' ? POSTGRES_ONLY : SQLITE_ONLY;
  return [...tables, dailyCountsTable(t), ...own, ...INDEXES];
}

function dailyCountsTable(t: ColumnTypes): string {
  return `create table daily_counts (
    app_id ${t.uuid} not null,
    link_id ${t.uuid} not null,
    day ${t.text} not null,
    kind ${t.text} not null,
    campaign_id ${t.text} not null,
    platform ${t.text} not null,
    method ${t.text} not null,
    visitor ${t.text} not null,
    sandbox ${t.flag} not null,
    stripe ${t.integer} not null,
    n ${t.integer} not null,
    primary key (app_id, link_id, day, kind, campaign_id, platform, method, visitor, sandbox, stripe)
  )${t.keyedTableSuffix}`;
}

function postbackTables(t: ColumnTypes): string[] {
  return [
    `create table postbacks (
      app_id ${t.uuid} not null,
      id ${t.uuid} not null,
      sandbox ${t.flag} not null,
      kind ${t.text} not null,
      sent_by ${t.text} not null,
      verdict ${t.text} not null,
      reason ${t.text},
      body ${t.text} not null,
      received_at ${t.timestamp} not null,
      day ${t.text} not null,
      times_received ${t.integer} not null,
      version ${t.text},
      ad_network_id ${t.text},
      app_store_id ${t.integer},
      transaction_id ${t.text},
      sequence_index ${t.integer} not null,
      source_identifier ${t.text},
      campaign_id ${t.integer},
      did_win ${t.flag},
      conversion_type ${t.text},
      conversion_value ${t.integer},
      coarse_conversion_value ${t.text},
      country_code ${t.text},
      primary key (app_id, id)
    )`,
    `create table conversion_values (
      app_id ${t.uuid} not null primary key,
      windows ${t.json} not null,
      updated_at ${t.timestamp} not null
    )`,
  ];
}

const POSTGRES_ONLY = [
  // Default partitions.
  'create table clicks_other_days partition of clicks default',
  'create table events_other_months partition of events default',
  'create table webhook_messages_other_days partition of webhook_messages default',
  'create table webhook_attempts_other_days partition of webhook_attempts default',
  // Shared rate limits; SQLite has one process, which counts in memory.
  'create unlogged table rate_limits (key varchar(255) primary key, points integer not null default 0, expire bigint)',
  ...addressIndexes('ip_hash, clicked_at'),
];

// By runs of clicks: see `src/click-log/by-address/sqlite.ts`.
const SQLITE_ONLY = addressIndexes('arrival >> 14, ip_hash, arrival desc');

function addressIndexes(columns: string): string[] {
  return [
    // Only visitors whose clicks can be claimed, so that crawlers at the same address do not slow down the lookup.
    `create index clicks_by_address on clicks (${columns}) where visitor in ('human', 'tool')`,
    // Never claimed, but part of erasures and exports by address.
    `create index clicks_by_address_of_others on clicks (${columns}) where visitor not in ('human', 'tool')`,
  ];
}

const INDEXES = [
  'create index installs_by_address on installs (app_id, ip_hash, id) where ip_hash is not null',
  'create index installs_by_user on installs (app_id, user_id, id) where user_id is not null',
  'create index opens_by_address on opens (app_id, ip_hash, id) where ip_hash is not null',
  'create index opens_by_user on opens (app_id, user_id, id) where user_id is not null',
  'create index events_by_install on events (app_id, install_id, id)',
  'create index events_by_user on events (app_id, user_id, id) where user_id is not null',
  'create index event_ids_by_event on event_ids (app_id, event_id)',
  'create index erasure_requests_pending on erasure_requests (requested_at) where completed_at is null',
  'create index erased_addresses_by_time on erased_addresses (erased_until)',
  'create index installs_by_time on installs (app_id, installed_at)',
  'create index opens_by_install on opens (app_id, install_id, id)',
  'create index links_by_campaign on links (app_id, campaign_id, id)',
  // Entries that retention drops with their deliveries.
  "create index audit_log_of_deliveries on audit_log (app_id, id) where action = 'webhook.delivery_failed'",
  // For test keys, whose links may be few among many.
  'create index links_of_sandbox on links (app_id, id) where sandbox = 1',
  'create index webhook_messages_by_record on webhook_messages (app_id, record_id)',
  'create index webhook_deliveries_due_by_webhook on webhook_deliveries_due (webhook_id, due_at)',
  'create index webhook_attempts_by_webhook on webhook_attempts (app_id, webhook_id, id)',
  'create index webhook_attempts_by_event_type on webhook_attempts (app_id, event_type, id)',
  // A response body may repeat personal data; most are empty.
  "create index webhook_attempts_answered on webhook_attempts (app_id, message_id, id) where response_body <> ''",
  // Erased messages, whose responses may arrive later.
  "create index webhook_messages_erased on webhook_messages (app_id, id) where body = ''",
  'create index idempotency_keys_by_age on idempotency_keys (created_at)',
  'create index apps_by_store_id on apps (ios_app_store_id, id) where ios_app_store_id is not null',
  'create unique index apps_by_short_link_host on apps (short_link_host) where short_link_host is not null',
  // Verified postbacks only: a forgery must not block the genuine one.
  "create unique index postbacks_once on postbacks (app_id, kind, ad_network_id, transaction_id, sequence_index, sandbox) where verdict = 'verified'",
  "create index postbacks_by_day on postbacks (app_id, day) where verdict = 'verified'",
  // Lists verified postbacks without scanning forgeries.
  'create index postbacks_by_verdict on postbacks (app_id, verdict, id)',
  "create index postbacks_not_verified on postbacks (app_id, id) where verdict <> 'verified'",
];
