CREATE TABLE accuracy_counts (
  app_id text not null,
  day text not null,
  platform text not null,
  verdict text not null,
  percent integer not null,
  installs integer not null,
  primary key (app_id, day, platform, verdict, percent)
) strict, without rowid;

CREATE TABLE accuracy_days (
  app_id text not null,
  day text not null,
  halvings integer not null,
  primary key (app_id, day)
) strict, without rowid;

CREATE TABLE api_key_hashes (
  hash text not null primary key,
  app_id text not null,
  key_id text not null
) strict;

CREATE TABLE api_keys (
  app_id text not null,
  id text not null,
  kind text not null,
  hint text not null,
  hash text not null,
  created_at text not null,
  last_used_at text,
  revoked_at text, made_by text, name text, maker text, public_key text, ends_at text, replaces text, replaced_by text,
  primary key (app_id, id)
) strict;

CREATE TABLE apps (
  id text not null primary key,
  name text not null,
  ios_bundle_id text,
  ios_team_id text,
  ios_app_store_id text,
  android_package text,
  android_cert_fingerprints text not null,
  url_scheme text,
  short_link_host text,
  ios_destination text,
  android_destination text,
  fallback_url text,
  landing_page text not null,
  clipboard_token integer not null,
  referrer_window_hours integer not null,
  click_id_window_hours integer not null,
  fingerprint_window_hours integer not null,
  fingerprint_ios integer not null,
  fingerprint_android integer not null,
  links_revision integer not null,
  created_at text not null,
  updated_at text not null
  , daily_event_limit integer, daily_event_bytes integer, root_url text, not_found_url text, firebase_long_links text, app_links text, apple_ads integer, meta_referrer_key text, fingerprint_threshold_percent integer not null default 70, measure_accuracy integer not null default 1, revenuecat_key text) strict;

CREATE TABLE audit_log (
  app_id text not null,
  id text not null,
  action text not null,
  details text not null,
  sandbox integer not null,
  created_at text not null,
  primary key (app_id, id)
) strict;

CREATE TABLE bootstraps (
  id integer not null primary key check (id = 1),
  app_id text not null,
  secret_mark text not null,
  made_at text not null
) strict;

CREATE TABLE clicks (
  arrival integer primary key,
  app_id text not null,
  id text not null,
  link_id text not null,
  campaign_id text,
  sandbox integer not null,
  visitor text not null,
  visitor_reason text,
  platform text,
  ip_hash text,
  user_agent text,
  accept_language text,
  device_model text,
  fingerprint text,
  signals_at text,
  clicked_at text not null,
  claimed_by_install text,
  claimed_by_open text, country text, referrer text, utm text, erased integer, query text, erased_at text, rule_id text, path_rest text,
  unique (app_id, id)
) strict;

CREATE TABLE cohort_days (
  app_id text not null,
  sandbox integer not null,
  day text not null,
  link_id text not null,
  campaign_id text not null,
  method text not null,
  installs integer not null,
  active text not null,
  primary key (app_id, sandbox, day, link_id, campaign_id, method)
) strict, without rowid;

CREATE TABLE conversion_values (
  app_id text not null primary key,
  windows text not null,
  updated_at text not null
) strict;

CREATE TABLE costs (
  app_id text not null,
  id text not null,
  sandbox integer not null,
  day text not null,
  network text not null,
  campaign_id text not null,
  currency text not null,
  amount text not null,
  created_at text not null,
  updated_at text not null,
  primary key (app_id, id)
) strict;

CREATE TABLE count_days (
  app_id text not null,
  sandbox integer not null,
  scope text not null,
  dimension text not null,
  day text not null,
  value text not null,
  platform text not null,
  clicks integer not null,
  other_clicks integer not null,
  installs integer not null,
  attributed_installs integer not null,
  opens integer not null,
  direct_opens integer not null,
  events integer not null,
  credited_events integer not null,
  tool_clicks integer not null,
  revenue text,
  credited_revenue text, existing_users integer not null default 0, paying_installs integer not null default 0, first_purchases integer not null default 0, cohort_revenue text, network_installs integer not null default 0, network_cohort_revenue text,
  primary key (app_id, sandbox, scope, dimension, day, value, platform)
) strict, without rowid;

CREATE TABLE count_quarters (
  app_id text not null,
  sandbox integer not null,
  scope text not null,
  dimension text not null,
  day text not null,
  value text not null,
  platform text not null,
  quarters text not null,
  primary key (app_id, sandbox, scope, dimension, day, value, platform)
) strict, without rowid;

CREATE TABLE daily_usage (
  app_id text not null,
  day text not null,
  kind text not null,
  subject text not null,
  records integer not null,
  bytes integer not null,
  primary key (app_id, day, kind, subject)
) strict, without rowid;

CREATE TABLE destination_feed (
  app_id text not null,
  id text not null,
  records text not null,
  primary key (app_id, id)
) strict, without rowid;

CREATE TABLE erased_addresses (
  app_id text not null,
  address_mark text not null,
  sandbox_only integer not null,
  erased_until text not null,
  primary key (app_id, address_mark, sandbox_only)
) strict;

CREATE TABLE "erasure_identifiers" (
  app_id text not null,
  request_id text not null,
  kind text not null,
  value text not null,
  primary key (app_id, request_id, kind, value)
) strict;

CREATE TABLE erasure_requests (
  app_id text not null,
  id text not null,
  sandbox integer not null,
  ip_hash text,
  user_id text,
  requested_at text not null,
  identifiers_found_at text,
  scrubbed_at text,
  completed_at text,
  counts text not null, spare_shared integer not null default 0, identifiers text,
  primary key (app_id, id)
) strict;

CREATE TABLE event_ids (
  app_id text not null,
  mark text not null,
  event_id text not null,
  install_id text not null,
  primary key (app_id, mark)
) strict;

CREATE TABLE events (
  app_id text not null,
  id text not null,
  client_event_id text,
  install_id text not null,
  event_name text not null,
  properties text not null,
  user_id text,
  sandbox integer not null,
  occurred_at text not null,
  created_at text not null, erased integer, link_id text, campaign_id text, platform text, country text, last_link_id text, last_campaign_id text, revenue_amount text, revenue_currency text, erased_at text, transaction_id text, repeats_transaction integer,
  primary key (app_id, id)
) strict;

CREATE TABLE former_secrets (
  mark text not null primary key,
  keys text not null,
  replaced_at text not null,
  reencrypted_at text
) strict;

CREATE TABLE gone_installs (
  app_id text not null,
  install_mark text not null,
  gone_at text not null,
  primary key (app_id, install_mark)
) strict, without rowid;

CREATE TABLE idempotency_keys (
  app_id text not null,
  scope text not null,
  idempotency_key text not null,
  request_hash text not null,
  status integer not null,
  response text not null,
  created_at text not null,
  primary key (app_id, scope, idempotency_key)
) strict;

CREATE TABLE import_parts (
  app_id text not null,
  import_id text not null,
  number integer not null,
  content text not null,
  primary key (app_id, import_id, number)
) strict;

CREATE TABLE imports (
  app_id text not null,
  id text not null,
  source text not null,
  dry_run integer not null,
  sandbox integer not null,
  status text not null,
  owner text not null,
  alive_until text not null,
  progress integer not null default 0,
  judged_rows integer not null default 0,
  created integer not null default 0,
  unchanged integer not null default 0,
  conflicts integer not null default 0,
  failed integer not null default 0,
  written_parts integer not null default 0,
  columns text not null default '{}',
  notes text not null default '[]',
  failure_columns text not null default '[]',
  error text,
  created_at text not null,
  completed_at text,
  primary key (app_id, id)
) strict;

CREATE TABLE installs (
  app_id text not null,
  id text not null,
  sandbox integer not null,
  user_id text,
  installed_at text not null,
  platform text not null,
  ip_hash text,
  user_agent text,
  device_model text,
  os_version text,
  locale text,
  fingerprint text,
  attribution_method text not null,
  click_id text,
  link_id text,
  campaign_id text,
  confidence text,
  answer text not null,
  trace text not null, country text, referrer text, utm text, erased integer, last_open text, active_days integer, existing_user integer, first_purchase text, erased_at text, invited_by text, deterministic_only integer, consented_at text, network text, network_name text, network_campaign text, network_trace text, google_click_ids text, identifiers text, identifier_times text,
  primary key (app_id, id)
) strict;

CREATE TABLE invitations (
  app_id text not null,
  id text not null,
  email text not null,
  role text not null,
  token_hash text not null,
  created_at text not null, made_by text, mailed_token_hash text,
  primary key (app_id, id)
) strict;

CREATE TABLE journals (
  id text not null primary key,
  seen_at text not null,
  flush_wanted_at text,
  flushed_at text
  , apps_behind text) strict;

CREATE TABLE leases (
  name text not null primary key,
  holder text not null,
  held_until text not null
) strict;

CREATE TABLE link_days (
  app_id text not null,
  link_id text not null,
  sandbox integer not null,
  day text not null,
  campaign_id text not null,
  cells text not null,
  primary key (app_id, link_id, sandbox, day, campaign_id)
) strict;

CREATE TABLE link_rules (
  app_id text not null,
  link_id text not null,
  id text not null,
  rule text not null,
  primary key (app_id, link_id, id)
) strict;

CREATE TABLE link_tags (
  app_id text not null,
  tag text not null,
  link_id text not null,
  primary key (app_id, tag, link_id)
) strict;

CREATE TABLE link_texts (
  app_id text not null,
  link_id text not null,
  words text not null,
  primary key (app_id, link_id)
) strict, without rowid;

CREATE TABLE links (
  app_id text not null,
  id text not null,
  short_code text not null,
  deep_link_path text not null,
  deep_link_params text not null,
  campaign_id text,
  ios_destination text,
  android_destination text,
  fallback_url text,
  og_title text,
  og_description text,
  og_image text,
  landing_page text,
  metadata text not null,
  sandbox integer not null,
  expires_at text,
  created_at text not null,
  updated_at text not null,
  deleted_at text, title text, tags text not null default '[]', path text, pass_path integer not null default 0, rules text not null default '[]', pass_query text, expired_url text, gone_when_expired integer not null default 0, min_app_version text, imported_clicks integer, invited_by text,
  primary key (app_id, id)
) strict;

CREATE TABLE memberships (
  app_id text not null,
  user_id text not null,
  role text not null,
  created_at text not null,
  primary key (app_id, user_id)
) strict, without rowid;

CREATE TABLE moves (
  id integer not null primary key check (id = 1),
  move_id text not null,
  began_at text not null,
  ended_at text
  , target text) strict;

CREATE TABLE network_campaigns (
  app_id text not null,
  network text not null,
  campaign_id text not null,
  name text not null,
  primary key (app_id, network, campaign_id)
) strict, without rowid;

CREATE TABLE opens (
  app_id text not null,
  id text not null,
  install_id text,
  sandbox integer not null,
  user_id text,
  opened_at text not null,
  platform text not null,
  ip_hash text,
  user_agent text,
  device_model text,
  os_version text,
  locale text,
  fingerprint text,
  attribution_method text not null,
  click_id text,
  link_id text,
  campaign_id text,
  confidence text,
  answer text not null,
  trace text not null, country text, referrer text, utm text, erased integer, erased_at text, deterministic_only integer,
  primary key (app_id, id)
) strict;

CREATE TABLE password_resets (
  token_hash text not null primary key,
  user_id text not null,
  made_by text,
  is_mailed integer not null,
  created_at text not null
) strict;

CREATE TABLE pending_counts (
  app_id text not null,
  id text not null default (printf('%.3f %s', unixepoch('subsec'), hex(randomblob(8)))),
  facts text not null,
  primary key (app_id, id)
) strict, without rowid;

CREATE TABLE postbacks (
  app_id text not null,
  id text not null,
  sandbox integer not null,
  kind text not null,
  sent_by text not null,
  verdict text not null,
  reason text,
  body text not null,
  received_at text not null,
  day text not null,
  times_received integer not null,
  version text,
  ad_network_id text,
  app_store_id integer,
  transaction_id text,
  sequence_index integer not null,
  source_identifier text,
  campaign_id integer,
  did_win integer,
  conversion_type text,
  conversion_value integer,
  coarse_conversion_value text,
  country_code text, fields_left_out integer not null default 0,
  primary key (app_id, id)
) strict;

CREATE TABLE retention_clock (
  id integer not null primary key check (id = 1),
  seen_at text not null
) strict;

CREATE TABLE revenuecat_kinds (
  app_id text not null,
  kind text not null,
  received integer not null,
  dropped integer not null default 0,
  received_at text not null,
  primary key (app_id, kind)
) strict;

CREATE TABLE revenuecat_waiting (
  app_id text not null,
  id text not null,
  kind text not null,
  sandbox integer not null,
  received_at text not null,
  content text not null,
  primary key (app_id, id)
) strict;

CREATE TABLE revenuecat_waiting_users (
  app_id text not null,
  mark text not null,
  waiting_id text not null,
  primary key (app_id, mark, waiting_id)
) strict, without rowid;

CREATE TABLE service_log (
  id text not null primary key,
  action text not null,
  details text not null,
  created_at text not null
) strict;

CREATE TABLE sessions (
  id text not null primary key,
  user_id text not null,
  token_hash text not null,
  user_agent text,
  created_at text not null,
  last_used_at text not null
) strict;

CREATE TABLE setup_tokens (
  id integer not null primary key check (id = 1),
  token_hash text not null,
  created_at text not null
  , made_by text, email text) strict;

CREATE TABLE short_codes (
  code text not null primary key,
  app_id text not null,
  link_id text not null
) strict;

CREATE TABLE users (
  id text not null primary key,
  email text not null,
  name text not null,
  password_hash text,
  oidc_subject text,
  is_operator integer not null,
  created_at text not null,
  last_used_at text
  , email_proven_at text, disabled_at text) strict;

CREATE TABLE watched_hosts (
  app_id text not null,
  host text not null,
  next_look_at text not null,
  looked_at text,
  certificate_ends_at text,
  checks text not null,
  primary key (app_id, host)
) strict;

CREATE TABLE webhook_attempts (
  app_id text not null,
  id text not null,
  webhook_id text not null,
  message_id text not null,
  event_type text not null,
  sandbox integer not null,
  webhook_url text not null,
  http_status integer not null,
  response_body text not null,
  error_message text,
  attempt_number integer not null,
  success integer not null,
  duration_ms integer not null,
  started_at text not null,
  primary key (app_id, id)
) strict;

CREATE TABLE webhook_failures (
  app_id text not null,
  webhook_id text not null,
  message_id text not null,
  sandbox integer not null,
  primary key (app_id, webhook_id, message_id)
) strict, without rowid;

CREATE TABLE webhook_hours (
  app_id text not null,
  webhook_id text not null,
  hour text not null,
  delivered integer not null,
  failed integer not null,
  last_success_at text,
  last_failure_at text, failing_since text,
  primary key (app_id, webhook_id, hour)
) strict, without rowid;

CREATE TABLE webhook_messages (
  app_id text not null,
  id text not null,
  event_type text not null,
  sandbox integer not null,
  record_id text not null,
  body text not null,
  primary key (app_id, id)
) strict;

CREATE TABLE "webhook_queue" (
  app_id text not null,
  id text not null,
  webhook_id text not null,
  message_id text not null,
  status integer not null,
  failed_attempts integer not null,
  next_attempt_at text not null,
  lease_until text,
  webhook_url text, deferrals integer not null default 0, is_repeat integer not null default 0,
  primary key (app_id, id)
) strict;

CREATE TABLE webhook_receivers (
  id text not null primary key,
  next_attempt_at text not null,
  paused_until text
) strict, without rowid;

CREATE TABLE webhooks (
  app_id text not null,
  id text not null,
  url text not null,
  secret text,
  former_secret text,
  former_secret_until text,
  events text not null,
  enabled integer not null,
  template text,
  template_config text,
  created_at text not null,
  updated_at text not null, sandbox_only integer not null default 0, retries text not null default 'standard', kind text not null default 'webhook', name text, type text, config text, event_names text, mapping text, consent text,
  primary key (app_id, id)
) strict;

CREATE UNIQUE INDEX apps_by_short_link_host on apps (short_link_host) where short_link_host is not null;

CREATE INDEX apps_by_store_id on apps (ios_app_store_id, id) where ios_app_store_id is not null;

CREATE INDEX audit_log_by_actor on audit_log (app_id, (coalesce(details ->> 'userId', details ->> 'keyId', details ->> 'changedBy')), id) where details ->> 'changedBy' is not null;

CREATE INDEX audit_log_by_record on audit_log (app_id, (coalesce(details ->> 'recordId', details ->> 'webhookId')), id);

CREATE INDEX audit_log_of_changes on audit_log (app_id, id) where action in ('conversion_values.updated', 'cost.deleted', 'costs.updated', 'destination.created', 'destination.deleted', 'destination.recovered', 'destination.redelivered', 'destination.tested', 'destination.updated', 'import.ended', 'installs.deleted', 'link.created', 'link.deleted', 'link.updated', 'links.imported', 'records.exported', 'webhook.created', 'webhook.deleted', 'webhook.recovered', 'webhook.redelivered', 'webhook.tested', 'webhook.updated');

CREATE INDEX audit_log_of_deliveries on audit_log (app_id, id) where action = 'webhook.delivery_failed';

CREATE INDEX audit_log_of_destinations on audit_log (app_id, id) where action = 'destination.delivery_failed';

CREATE INDEX audit_log_of_links on audit_log (app_id, (details ->> 'shortCode'), id) where action in ('link.created', 'link.updated', 'link.deleted');

CREATE INDEX clicks_by_address on clicks (arrival >> 14, ip_hash, arrival desc) where visitor in ('human', 'tool');

CREATE INDEX clicks_by_address_of_others on clicks (arrival >> 14, ip_hash, arrival desc) where visitor not in ('human', 'tool');

CREATE INDEX clicks_by_link on clicks (app_id, link_id, id);

CREATE UNIQUE INDEX costs_by_day on costs (app_id, sandbox, day, network, campaign_id, currency);

CREATE INDEX count_days_by_inviter on count_days (app_id, value) where dimension = 'inviter';

CREATE INDEX count_quarters_by_inviter on count_quarters (app_id, value) where dimension = 'inviter';

CREATE INDEX erased_addresses_by_time on erased_addresses (erased_until);

CREATE INDEX erasure_requests_pending on erasure_requests (requested_at) where completed_at is null;

CREATE INDEX event_ids_by_event on event_ids (app_id, event_id);

CREATE INDEX events_by_install on events (app_id, install_id, id);

CREATE INDEX events_by_link on events (app_id, link_id, id);

CREATE INDEX events_by_user on events (app_id, user_id, id) where user_id is not null;

CREATE INDEX gone_installs_by_time on gone_installs (app_id, gone_at);

CREATE INDEX idempotency_keys_by_age on idempotency_keys (created_at);

CREATE UNIQUE INDEX imports_running on imports (app_id) where status = 'running';

CREATE INDEX installs_by_address on installs (app_id, ip_hash, id) where ip_hash is not null;

CREATE INDEX installs_by_google_click on installs (app_id, installed_at) where google_click_ids is not null;

CREATE INDEX installs_by_inviter on installs (app_id, invited_by, installed_at, id) where invited_by is not null;

CREATE INDEX installs_by_link on installs (app_id, link_id, installed_at, id);

CREATE INDEX installs_by_time on installs (app_id, installed_at);

CREATE INDEX installs_by_user on installs (app_id, user_id, id) where user_id is not null;

CREATE UNIQUE INDEX invitations_by_email on invitations (app_id, email);

CREATE UNIQUE INDEX invitations_by_mailed_token on invitations (mailed_token_hash);

CREATE UNIQUE INDEX invitations_by_token on invitations (token_hash);

CREATE INDEX link_tags_by_link on link_tags (app_id, link_id);

CREATE INDEX links_by_campaign on links (app_id, campaign_id, id);

CREATE INDEX links_by_campaign_text on links (app_id, lower(campaign_id), campaign_id);

CREATE INDEX links_by_code on links (app_id, short_code);

CREATE INDEX links_by_inviter on links (app_id, invited_by, id) where invited_by is not null;

CREATE UNIQUE INDEX links_by_path on links (app_id, path) where path is not null;

CREATE INDEX links_by_path_letters on links (app_id, lower(path)) where path is not null;

CREATE INDEX links_of_sandbox on links (app_id, id) where sandbox = 1;

CREATE INDEX links_of_team on links (app_id, id) where invited_by is null;

CREATE INDEX memberships_by_user on memberships (user_id);

CREATE INDEX opens_by_address on opens (app_id, ip_hash, id) where ip_hash is not null;

CREATE INDEX opens_by_install on opens (app_id, install_id, id);

CREATE INDEX opens_by_link on opens (app_id, link_id, opened_at, id);

CREATE INDEX opens_by_time on opens (app_id, opened_at, id);

CREATE INDEX opens_by_user on opens (app_id, user_id, id) where user_id is not null;

CREATE INDEX password_resets_by_user on password_resets (user_id);

CREATE INDEX postbacks_by_day on postbacks (app_id, day) where verdict = 'verified';

CREATE INDEX postbacks_by_verdict on postbacks (app_id, verdict, id);

CREATE UNIQUE INDEX postbacks_once on postbacks (app_id, kind, ad_network_id, transaction_id, sequence_index, sandbox) where verdict = 'verified';

CREATE INDEX postbacks_unproven on postbacks (id) where (verdict <> 'verified' or app_id = '00000000-0000-0000-0000-000000000000');

CREATE INDEX revenuecat_waiting_by_time on revenuecat_waiting (app_id, sandbox, received_at);

CREATE INDEX revenuecat_waiting_users_by_event on revenuecat_waiting_users (app_id, waiting_id);

CREATE UNIQUE INDEX sessions_by_token on sessions (token_hash);

CREATE INDEX sessions_by_user on sessions (user_id);

CREATE UNIQUE INDEX users_by_email on users (email);

CREATE UNIQUE INDEX users_by_oidc_subject on users (oidc_subject);

CREATE INDEX webhook_attempts_answered on webhook_attempts (app_id, message_id, id) where response_body <> '';

CREATE INDEX webhook_attempts_by_event_type on webhook_attempts (app_id, event_type, id);

CREATE INDEX webhook_attempts_by_webhook on webhook_attempts (app_id, webhook_id, id);

CREATE INDEX webhook_messages_by_record on webhook_messages (app_id, record_id);

CREATE INDEX webhook_messages_erased on webhook_messages (app_id, id) where body = '';

CREATE INDEX webhook_queue_due on webhook_queue (webhook_id, next_attempt_at) where status = 0;

CREATE INDEX webhook_queue_leased on webhook_queue (lease_until) where status = 1;

CREATE INDEX webhook_queue_retries on webhook_queue (app_id, webhook_id, message_id)
  where failed_attempts > 0 or deferrals > 0;
