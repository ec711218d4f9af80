create table accuracy_counts (
  app_id uuid not null,
  day text collate "C" not null,
  platform text collate "C" not null,
  verdict text collate "C" not null,
  percent bigint not null,
  installs bigint not null,
  PRIMARY KEY (app_id, day, platform, verdict, percent)
);

create table accuracy_days (
  app_id uuid not null,
  day text collate "C" not null,
  halvings bigint not null,
  PRIMARY KEY (app_id, day)
);

create table api_key_hashes (
  hash text collate "C" not null,
  app_id uuid not null,
  key_id uuid not null,
  PRIMARY KEY (hash)
);

create table api_keys (
  app_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  hint text collate "C" not null,
  hash text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  revoked_at timestamp(3) with time zone,
  made_by uuid,
  name text collate "C",
  maker text collate "C",
  public_key text collate "C",
  ends_at timestamp(3) with time zone,
  replaces uuid,
  replaced_by uuid,
  PRIMARY KEY (app_id, id)
);

create table apps (
  id uuid not null,
  name text collate "C" not null,
  ios_bundle_id text collate "C",
  ios_team_id text collate "C",
  ios_app_store_id text collate "C",
  android_package text collate "C",
  android_cert_fingerprints json not null,
  url_scheme text collate "C",
  short_link_host text collate "C",
  ios_destination text collate "C",
  android_destination text collate "C",
  fallback_url text collate "C",
  landing_page text collate "C" not null,
  clipboard_token smallint not null,
  referrer_window_hours bigint not null,
  click_id_window_hours bigint not null,
  fingerprint_window_hours bigint not null,
  fingerprint_ios smallint not null,
  fingerprint_android smallint not null,
  links_revision bigint not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  daily_event_limit bigint,
  daily_event_bytes bigint,
  root_url text collate "C",
  not_found_url text collate "C",
  firebase_long_links json,
  app_links json,
  apple_ads smallint,
  meta_referrer_key text collate "C",
  fingerprint_threshold_percent bigint not null default 70,
  measure_accuracy smallint not null default 1,
  revenuecat_key text collate "C",
  PRIMARY KEY (id)
);

create table audit_log (
  app_id uuid not null,
  id uuid not null,
  action text collate "C" not null,
  details json not null,
  sandbox smallint not null,
  created_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, id)
);

create table bootstraps (
  id bigint not null,
  app_id uuid not null,
  secret_mark text collate "C" not null,
  made_at timestamp(3) with time zone not null,
  PRIMARY KEY (id),
  CHECK ((id = 1))
);

create table clicks (
  app_id uuid not null,
  id uuid not null,
  link_id uuid not null,
  campaign_id text collate "C",
  sandbox smallint not null,
  visitor text collate "C" not null,
  visitor_reason text collate "C",
  platform text collate "C",
  ip_hash text collate "C",
  user_agent text collate "C",
  accept_language text collate "C",
  device_model text collate "C",
  fingerprint json,
  signals_at timestamp(3) with time zone,
  clicked_at timestamp(3) with time zone not null,
  claimed_by_install uuid,
  claimed_by_open uuid,
  country text collate "C",
  referrer text collate "C",
  utm text collate "C",
  erased smallint,
  query text collate "C",
  erased_at timestamp(3) with time zone,
  rule_id text collate "C",
  path_rest text collate "C",
  PRIMARY KEY (app_id, id)
) partition by RANGE (id);

create table cohort_days (
  app_id uuid not null,
  sandbox smallint not null,
  day text collate "C" not null,
  link_id text collate "C" not null,
  campaign_id text collate "C" not null,
  method text collate "C" not null,
  installs bigint not null,
  active text collate "C" not null,
  PRIMARY KEY (app_id, sandbox, day, link_id, campaign_id, method)
);

create table conversion_values (
  app_id uuid not null,
  windows json not null,
  updated_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id)
);

create table costs (
  app_id uuid not null,
  id uuid not null,
  sandbox smallint not null,
  day text collate "C" not null,
  network text collate "C" not null,
  campaign_id text collate "C" not null,
  currency text collate "C" not null,
  amount text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, id)
);

create table count_days (
  app_id uuid not null,
  sandbox smallint not null,
  scope text collate "C" not null,
  dimension text collate "C" not null,
  day text collate "C" not null,
  value text collate "C" not null,
  platform text collate "C" not null,
  clicks bigint not null,
  other_clicks bigint not null,
  installs bigint not null,
  attributed_installs bigint not null,
  opens bigint not null,
  direct_opens bigint not null,
  events bigint not null,
  credited_events bigint not null,
  tool_clicks bigint not null,
  revenue text collate "C",
  credited_revenue text collate "C",
  existing_users bigint not null default 0,
  paying_installs bigint not null default 0,
  first_purchases bigint not null default 0,
  cohort_revenue text collate "C",
  network_installs bigint not null default 0,
  network_cohort_revenue text collate "C",
  PRIMARY KEY (app_id, sandbox, scope, dimension, day, value, platform)
);

create table count_quarters (
  app_id uuid not null,
  sandbox smallint not null,
  scope text collate "C" not null,
  dimension text collate "C" not null,
  day text collate "C" not null,
  value text collate "C" not null,
  platform text collate "C" not null,
  quarters text collate "C" not null,
  PRIMARY KEY (app_id, sandbox, scope, dimension, day, value, platform)
);

create table daily_usage (
  app_id uuid not null,
  day text collate "C" not null,
  kind text collate "C" not null,
  subject uuid not null,
  records bigint not null,
  bytes bigint not null,
  PRIMARY KEY (app_id, day, kind, subject)
);

create table destination_feed (
  app_id uuid not null,
  id uuid not null,
  records text collate "C" not null,
  PRIMARY KEY (app_id, id)
);

create table erased_addresses (
  app_id uuid not null,
  address_mark text collate "C" not null,
  sandbox_only smallint not null,
  erased_until timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, address_mark, sandbox_only)
);

create table erasure_identifiers (
  app_id uuid not null,
  request_id uuid not null,
  kind text collate "C" not null,
  value text collate "C" not null,
  PRIMARY KEY (app_id, request_id, kind, value)
);

create table erasure_requests (
  app_id uuid not null,
  id uuid not null,
  sandbox smallint not null,
  ip_hash text collate "C",
  user_id text collate "C",
  requested_at timestamp(3) with time zone not null,
  identifiers_found_at timestamp(3) with time zone,
  scrubbed_at timestamp(3) with time zone,
  completed_at timestamp(3) with time zone,
  counts json not null,
  spare_shared smallint not null default 0,
  identifiers text collate "C",
  PRIMARY KEY (app_id, id)
);

create table event_ids (
  app_id uuid not null,
  mark uuid not null,
  event_id uuid not null,
  install_id uuid not null,
  PRIMARY KEY (app_id, mark)
);

create table events (
  app_id uuid not null,
  id uuid not null,
  client_event_id uuid,
  install_id uuid not null,
  event_name text collate "C" not null,
  properties json not null,
  user_id text collate "C",
  sandbox smallint not null,
  occurred_at timestamp(3) with time zone not null,
  created_at timestamp(3) with time zone not null,
  erased smallint,
  link_id uuid,
  campaign_id text collate "C",
  platform text collate "C",
  country text collate "C",
  last_link_id uuid,
  last_campaign_id text collate "C",
  revenue_amount text collate "C",
  revenue_currency text collate "C",
  erased_at timestamp(3) with time zone,
  transaction_id text collate "C",
  repeats_transaction smallint,
  PRIMARY KEY (app_id, id)
) partition by RANGE (id);

create table former_secrets (
  mark text collate "C" not null,
  keys text collate "C" not null,
  replaced_at timestamp(3) with time zone not null,
  reencrypted_at timestamp(3) with time zone,
  PRIMARY KEY (mark)
);

create table gone_installs (
  app_id uuid not null,
  install_mark uuid not null,
  gone_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, install_mark)
);

create table idempotency_keys (
  app_id uuid not null,
  scope text collate "C" not null,
  idempotency_key text collate "C" not null,
  request_hash text collate "C" not null,
  status bigint not null,
  response json not null,
  created_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, scope, idempotency_key)
);

create table import_parts (
  app_id uuid not null,
  import_id uuid not null,
  number bigint not null,
  content text collate "C" not null,
  PRIMARY KEY (app_id, import_id, number)
);

create table imports (
  app_id uuid not null,
  id uuid not null,
  source text collate "C" not null,
  dry_run smallint not null,
  sandbox smallint not null,
  status text collate "C" not null,
  owner uuid not null,
  alive_until timestamp(3) with time zone not null,
  progress bigint not null default 0,
  judged_rows bigint not null default 0,
  created bigint not null default 0,
  unchanged bigint not null default 0,
  conflicts bigint not null default 0,
  failed bigint not null default 0,
  written_parts bigint not null default 0,
  columns json not null default '{}'::json,
  notes json not null default '[]'::json,
  failure_columns json not null default '[]'::json,
  error text collate "C",
  created_at timestamp(3) with time zone not null,
  completed_at timestamp(3) with time zone,
  PRIMARY KEY (app_id, id)
);

create table installs (
  app_id uuid not null,
  id uuid not null,
  sandbox smallint not null,
  user_id text collate "C",
  installed_at timestamp(3) with time zone not null,
  platform text collate "C" not null,
  ip_hash text collate "C",
  user_agent text collate "C",
  device_model text collate "C",
  os_version text collate "C",
  locale text collate "C",
  fingerprint json,
  attribution_method text collate "C" not null,
  click_id uuid,
  link_id uuid,
  campaign_id text collate "C",
  confidence text collate "C",
  answer json not null,
  trace json not null,
  country text collate "C",
  referrer text collate "C",
  utm text collate "C",
  erased smallint,
  last_open text collate "C",
  active_days bigint,
  existing_user smallint,
  first_purchase text collate "C",
  erased_at timestamp(3) with time zone,
  invited_by uuid,
  deterministic_only smallint,
  consented_at timestamp(3) with time zone,
  network json,
  network_name text collate "C",
  network_campaign text collate "C",
  network_trace json,
  google_click_ids json,
  identifiers text collate "C",
  identifier_times text collate "C",
  PRIMARY KEY (app_id, id)
);

create table invitations (
  app_id uuid not null,
  id uuid not null,
  email text collate "C" not null,
  role text collate "C" not null,
  token_hash text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  made_by uuid,
  mailed_token_hash text collate "C",
  PRIMARY KEY (app_id, id)
);

create table journals (
  id uuid not null,
  seen_at timestamp(3) with time zone not null,
  flush_wanted_at timestamp(3) with time zone,
  flushed_at timestamp(3) with time zone,
  apps_behind text collate "C",
  PRIMARY KEY (id)
);

create table leases (
  name text collate "C" not null,
  holder uuid not null,
  held_until timestamp(3) with time zone not null,
  PRIMARY KEY (name)
);

create table link_days (
  app_id uuid not null,
  link_id uuid not null,
  sandbox smallint not null,
  day text collate "C" not null,
  campaign_id text collate "C" not null,
  cells text collate "C" not null,
  PRIMARY KEY (app_id, link_id, sandbox, day, campaign_id)
);

create table link_rules (
  app_id uuid not null,
  link_id uuid not null,
  id text collate "C" not null,
  rule json not null,
  PRIMARY KEY (app_id, link_id, id)
);

create table link_tags (
  app_id uuid not null,
  tag text collate "C" not null,
  link_id uuid not null,
  PRIMARY KEY (app_id, tag, link_id)
);

create table link_texts (
  app_id uuid not null,
  link_id uuid not null,
  words text collate "C" not null,
  PRIMARY KEY (app_id, link_id)
);

create table links (
  app_id uuid not null,
  id uuid not null,
  short_code text collate "C" not null,
  deep_link_path text collate "C" not null,
  deep_link_params json not null,
  campaign_id text collate "C",
  ios_destination text collate "C",
  android_destination text collate "C",
  fallback_url text collate "C",
  og_title text collate "C",
  og_description text collate "C",
  og_image text collate "C",
  landing_page text collate "C",
  metadata json not null,
  sandbox smallint not null,
  expires_at timestamp(3) with time zone,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  deleted_at timestamp(3) with time zone,
  title text collate "C",
  tags json not null default '[]'::json,
  path text collate "C",
  pass_path smallint not null default 0,
  rules json not null default '[]'::json,
  pass_query json,
  expired_url text collate "C",
  gone_when_expired smallint not null default 0,
  min_app_version json,
  imported_clicks bigint,
  invited_by uuid,
  PRIMARY KEY (app_id, id)
);

create table memberships (
  app_id uuid not null,
  user_id uuid not null,
  role text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, user_id)
);

create table moves (
  id bigint not null,
  move_id uuid not null,
  began_at timestamp(3) with time zone not null,
  ended_at timestamp(3) with time zone,
  target text collate "C",
  PRIMARY KEY (id),
  CHECK ((id = 1))
);

create table network_campaigns (
  app_id uuid not null,
  network text collate "C" not null,
  campaign_id text collate "C" not null,
  name text collate "C" not null,
  PRIMARY KEY (app_id, network, campaign_id)
);

create table opens (
  app_id uuid not null,
  id uuid not null,
  install_id uuid,
  sandbox smallint not null,
  user_id text collate "C",
  opened_at timestamp(3) with time zone not null,
  platform text collate "C" not null,
  ip_hash text collate "C",
  user_agent text collate "C",
  device_model text collate "C",
  os_version text collate "C",
  locale text collate "C",
  fingerprint json,
  attribution_method text collate "C" not null,
  click_id uuid,
  link_id uuid,
  campaign_id text collate "C",
  confidence text collate "C",
  answer json not null,
  trace json not null,
  country text collate "C",
  referrer text collate "C",
  utm text collate "C",
  erased smallint,
  erased_at timestamp(3) with time zone,
  deterministic_only smallint,
  PRIMARY KEY (app_id, id)
);

create table password_resets (
  token_hash text collate "C" not null,
  user_id uuid not null,
  made_by uuid,
  is_mailed smallint not null,
  created_at timestamp(3) with time zone not null,
  PRIMARY KEY (token_hash)
);

create table pending_counts (
  app_id uuid not null,
  id text not null default (gen_random_uuid())::text,
  facts text collate "C" not null,
  PRIMARY KEY (app_id, id)
);

create table postbacks (
  app_id uuid not null,
  id uuid not null,
  sandbox smallint not null,
  kind text collate "C" not null,
  sent_by text collate "C" not null,
  verdict text collate "C" not null,
  reason text collate "C",
  body text collate "C" not null,
  received_at timestamp(3) with time zone not null,
  day text collate "C" not null,
  times_received bigint not null,
  version text collate "C",
  ad_network_id text collate "C",
  app_store_id bigint,
  transaction_id text collate "C",
  sequence_index bigint not null,
  source_identifier text collate "C",
  campaign_id bigint,
  did_win smallint,
  conversion_type text collate "C",
  conversion_value bigint,
  coarse_conversion_value text collate "C",
  country_code text collate "C",
  fields_left_out bigint not null default 0,
  PRIMARY KEY (app_id, id)
);

create unlogged table rate_limits (
  key character varying(255) not null,
  points integer not null default 0,
  expire bigint,
  PRIMARY KEY (key)
);

create table retention_clock (
  id bigint not null,
  seen_at timestamp(3) with time zone not null,
  PRIMARY KEY (id),
  CHECK ((id = 1))
);

create table revenuecat_kinds (
  app_id uuid not null,
  kind text collate "C" not null,
  received bigint not null,
  dropped bigint not null default 0,
  received_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, kind)
);

create table revenuecat_waiting (
  app_id uuid not null,
  id uuid not null,
  kind text collate "C" not null,
  sandbox smallint not null,
  received_at timestamp(3) with time zone not null,
  content text collate "C" not null,
  PRIMARY KEY (app_id, id)
);

create table revenuecat_waiting_users (
  app_id uuid not null,
  mark uuid not null,
  waiting_id uuid not null,
  PRIMARY KEY (app_id, mark, waiting_id)
);

create table service_log (
  id uuid not null,
  action text collate "C" not null,
  details json not null,
  created_at timestamp(3) with time zone not null,
  PRIMARY KEY (id)
);

create table sessions (
  id uuid not null,
  user_id uuid not null,
  token_hash text collate "C" not null,
  user_agent text collate "C",
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone not null,
  PRIMARY KEY (id)
);

create table setup_tokens (
  id bigint not null,
  token_hash text collate "C" not null,
  created_at timestamp(3) with time zone not null,
  made_by uuid,
  email text collate "C",
  PRIMARY KEY (id),
  CHECK ((id = 1))
);

create table short_codes (
  code text collate "C" not null,
  app_id uuid not null,
  link_id uuid not null,
  PRIMARY KEY (code)
);

create table users (
  id uuid not null,
  email text collate "C" not null,
  name text collate "C" not null,
  password_hash text collate "C",
  oidc_subject text collate "C",
  is_operator smallint not null,
  created_at timestamp(3) with time zone not null,
  last_used_at timestamp(3) with time zone,
  email_proven_at timestamp(3) with time zone,
  disabled_at timestamp(3) with time zone,
  PRIMARY KEY (id)
);

create table watched_hosts (
  app_id uuid not null,
  host text collate "C" not null,
  next_look_at timestamp(3) with time zone not null,
  looked_at timestamp(3) with time zone,
  certificate_ends_at timestamp(3) with time zone,
  checks text collate "C" not null,
  PRIMARY KEY (app_id, host)
);

create table webhook_attempts (
  app_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  message_id uuid not null,
  event_type text collate "C" not null,
  sandbox smallint not null,
  webhook_url text collate "C" not null,
  http_status bigint not null,
  response_body text collate "C" not null,
  error_message text collate "C",
  attempt_number bigint not null,
  success smallint not null,
  duration_ms bigint not null,
  started_at timestamp(3) with time zone not null,
  PRIMARY KEY (app_id, id)
) partition by RANGE (id);

create table webhook_failures (
  app_id uuid not null,
  webhook_id uuid not null,
  message_id uuid not null,
  sandbox smallint not null,
  PRIMARY KEY (app_id, webhook_id, message_id)
);

create table webhook_hours (
  app_id uuid not null,
  webhook_id uuid not null,
  hour timestamp(3) with time zone not null,
  delivered bigint not null,
  failed bigint not null,
  last_success_at timestamp(3) with time zone,
  last_failure_at timestamp(3) with time zone,
  failing_since timestamp(3) with time zone,
  PRIMARY KEY (app_id, webhook_id, hour)
);

create table webhook_messages (
  app_id uuid not null,
  id uuid not null,
  event_type text collate "C" not null,
  sandbox smallint not null,
  record_id uuid not null,
  body text collate "C" not null,
  PRIMARY KEY (app_id, id)
) partition by RANGE (id);

create table webhook_queue (
  app_id uuid not null,
  id uuid not null,
  webhook_id uuid not null,
  message_id uuid not null,
  status smallint not null,
  failed_attempts bigint not null,
  next_attempt_at timestamp(3) with time zone not null,
  lease_until timestamp(3) with time zone,
  webhook_url text collate "C",
  deferrals bigint not null default 0,
  is_repeat smallint not null default 0,
  PRIMARY KEY (app_id, id)
);

create table webhook_receivers (
  id text collate "C" not null,
  next_attempt_at timestamp(3) with time zone not null,
  paused_until timestamp(3) with time zone,
  PRIMARY KEY (id)
);

create table webhooks (
  app_id uuid not null,
  id uuid not null,
  url text collate "C" not null,
  secret text collate "C",
  former_secret text collate "C",
  former_secret_until timestamp(3) with time zone,
  events json not null,
  enabled smallint not null,
  template text collate "C",
  template_config json,
  created_at timestamp(3) with time zone not null,
  updated_at timestamp(3) with time zone not null,
  sandbox_only smallint not null default 0,
  retries text collate "C" not null default 'standard'::text,
  kind text collate "C" not null default 'webhook'::text,
  name text collate "C",
  type text collate "C",
  config json,
  event_names json,
  mapping json,
  consent text collate "C",
  PRIMARY KEY (app_id, id)
);

CREATE UNIQUE INDEX apps_by_short_link_host ON public.apps USING btree (short_link_host) WHERE (short_link_host IS NOT NULL);

CREATE INDEX apps_by_store_id ON public.apps USING btree (ios_app_store_id, id) WHERE (ios_app_store_id IS NOT NULL);

CREATE INDEX audit_log_by_actor ON public.audit_log USING btree (app_id, COALESCE((details ->> 'userId'::text), (details ->> 'keyId'::text), (details ->> 'changedBy'::text)), id) WHERE ((details ->> 'changedBy'::text) IS NOT NULL);

CREATE INDEX audit_log_by_record ON public.audit_log USING btree (app_id, COALESCE((details ->> 'recordId'::text), (details ->> 'webhookId'::text)), id);

CREATE INDEX audit_log_of_changes ON public.audit_log USING btree (app_id, id) WHERE (action = ANY (ARRAY['conversion_values.updated'::text, 'cost.deleted'::text, 'costs.updated'::text, 'destination.created'::text, 'destination.deleted'::text, 'destination.recovered'::text, 'destination.redelivered'::text, 'destination.tested'::text, 'destination.updated'::text, 'import.ended'::text, 'installs.deleted'::text, 'link.created'::text, 'link.deleted'::text, 'link.updated'::text, 'links.imported'::text, 'records.exported'::text, 'webhook.created'::text, 'webhook.deleted'::text, 'webhook.recovered'::text, 'webhook.redelivered'::text, 'webhook.tested'::text, 'webhook.updated'::text]));

CREATE INDEX audit_log_of_deliveries ON public.audit_log USING btree (app_id, id) WHERE (action = 'webhook.delivery_failed'::text);

CREATE INDEX audit_log_of_destinations ON public.audit_log USING btree (app_id, id) WHERE (action = 'destination.delivery_failed'::text);

CREATE INDEX audit_log_of_links ON public.audit_log USING btree (app_id, ((details ->> 'shortCode'::text)), id) WHERE (action = ANY (ARRAY['link.created'::text, 'link.updated'::text, 'link.deleted'::text]));

CREATE INDEX clicks_by_address ON ONLY public.clicks USING btree (ip_hash, clicked_at) WHERE (visitor = ANY (ARRAY['human'::text, 'tool'::text]));

CREATE INDEX clicks_by_address_of_others ON ONLY public.clicks USING btree (ip_hash, clicked_at) WHERE (visitor <> ALL (ARRAY['human'::text, 'tool'::text]));

CREATE INDEX clicks_by_link ON ONLY public.clicks USING btree (app_id, link_id, id);

CREATE UNIQUE INDEX costs_by_day ON public.costs USING btree (app_id, sandbox, day, network, campaign_id, currency);

CREATE INDEX count_days_by_inviter ON public.count_days USING btree (app_id, value) WHERE (dimension = 'inviter'::text);

CREATE INDEX count_quarters_by_inviter ON public.count_quarters USING btree (app_id, value) WHERE (dimension = 'inviter'::text);

CREATE INDEX erased_addresses_by_time ON public.erased_addresses USING btree (erased_until);

CREATE INDEX erasure_requests_pending ON public.erasure_requests USING btree (requested_at) WHERE (completed_at IS NULL);

CREATE INDEX event_ids_by_event ON public.event_ids USING btree (app_id, event_id);

CREATE INDEX events_by_install ON ONLY public.events USING btree (app_id, install_id, id);

CREATE INDEX events_by_link ON ONLY public.events USING btree (app_id, link_id, id);

CREATE INDEX events_by_user ON ONLY public.events USING btree (app_id, user_id, id) WHERE (user_id IS NOT NULL);

CREATE INDEX gone_installs_by_time ON public.gone_installs USING btree (app_id, gone_at);

CREATE INDEX idempotency_keys_by_age ON public.idempotency_keys USING btree (created_at);

CREATE UNIQUE INDEX imports_running ON public.imports USING btree (app_id) WHERE (status = 'running'::text);

CREATE INDEX installs_by_address ON public.installs USING btree (app_id, ip_hash, id) WHERE (ip_hash IS NOT NULL);

CREATE INDEX installs_by_google_click ON public.installs USING btree (app_id, installed_at) WHERE (google_click_ids IS NOT NULL);

CREATE INDEX installs_by_inviter ON public.installs USING btree (app_id, invited_by, installed_at, id) WHERE (invited_by IS NOT NULL);

CREATE INDEX installs_by_link ON public.installs USING btree (app_id, link_id, installed_at, id);

CREATE INDEX installs_by_time ON public.installs USING btree (app_id, installed_at);

CREATE INDEX installs_by_user ON public.installs USING btree (app_id, user_id, id) WHERE (user_id IS NOT NULL);

CREATE UNIQUE INDEX invitations_by_email ON public.invitations USING btree (app_id, email);

CREATE UNIQUE INDEX invitations_by_mailed_token ON public.invitations USING btree (mailed_token_hash);

CREATE UNIQUE INDEX invitations_by_token ON public.invitations USING btree (token_hash);

CREATE INDEX link_tags_by_link ON public.link_tags USING btree (app_id, link_id);

CREATE INDEX links_by_campaign ON public.links USING btree (app_id, campaign_id, id);

CREATE INDEX links_by_campaign_text ON public.links USING btree (app_id, lower(campaign_id), campaign_id);

CREATE INDEX links_by_code ON public.links USING btree (app_id, short_code);

CREATE INDEX links_by_inviter ON public.links USING btree (app_id, invited_by, id) WHERE (invited_by IS NOT NULL);

CREATE UNIQUE INDEX links_by_path ON public.links USING btree (app_id, path) WHERE (path IS NOT NULL);

CREATE INDEX links_by_path_letters ON public.links USING btree (app_id, lower(path)) WHERE (path IS NOT NULL);

CREATE INDEX links_of_sandbox ON public.links USING btree (app_id, id) WHERE (sandbox = 1);

CREATE INDEX links_of_team ON public.links USING btree (app_id, id) WHERE (invited_by IS NULL);

CREATE INDEX memberships_by_user ON public.memberships USING btree (user_id);

CREATE INDEX opens_by_address ON public.opens USING btree (app_id, ip_hash, id) WHERE (ip_hash IS NOT NULL);

CREATE INDEX opens_by_install ON public.opens USING btree (app_id, install_id, id);

CREATE INDEX opens_by_link ON public.opens USING btree (app_id, link_id, opened_at, id);

CREATE INDEX opens_by_time ON public.opens USING btree (app_id, opened_at, id);

CREATE INDEX opens_by_user ON public.opens USING btree (app_id, user_id, id) WHERE (user_id IS NOT NULL);

CREATE INDEX password_resets_by_user ON public.password_resets USING btree (user_id);

CREATE INDEX postbacks_by_day ON public.postbacks USING btree (app_id, day) WHERE (verdict = 'verified'::text);

CREATE INDEX postbacks_by_verdict ON public.postbacks USING btree (app_id, verdict, id);

CREATE UNIQUE INDEX postbacks_once ON public.postbacks USING btree (app_id, kind, ad_network_id, transaction_id, sequence_index, sandbox) WHERE (verdict = 'verified'::text);

CREATE INDEX postbacks_unproven ON public.postbacks USING btree (id) WHERE ((verdict <> 'verified'::text) OR (app_id = '00000000-0000-0000-0000-000000000000'::uuid));

CREATE INDEX revenuecat_waiting_by_time ON public.revenuecat_waiting USING btree (app_id, sandbox, received_at);

CREATE INDEX revenuecat_waiting_users_by_event ON public.revenuecat_waiting_users USING btree (app_id, waiting_id);

CREATE UNIQUE INDEX sessions_by_token ON public.sessions USING btree (token_hash);

CREATE INDEX sessions_by_user ON public.sessions USING btree (user_id);

CREATE UNIQUE INDEX users_by_email ON public.users USING btree (email);

CREATE UNIQUE INDEX users_by_oidc_subject ON public.users USING btree (oidc_subject);

CREATE INDEX webhook_attempts_answered ON ONLY public.webhook_attempts USING btree (app_id, message_id, id) WHERE (response_body <> ''::text);

CREATE INDEX webhook_attempts_by_event_type ON ONLY public.webhook_attempts USING btree (app_id, event_type, id);

CREATE INDEX webhook_attempts_by_webhook ON ONLY public.webhook_attempts USING btree (app_id, webhook_id, id);

CREATE INDEX webhook_messages_by_record ON ONLY public.webhook_messages USING btree (app_id, record_id);

CREATE INDEX webhook_messages_erased ON ONLY public.webhook_messages USING btree (app_id, id) WHERE (body = ''::text);

CREATE INDEX webhook_queue_due ON public.webhook_queue USING btree (webhook_id, next_attempt_at) WHERE (status = 0);

CREATE INDEX webhook_queue_leased ON public.webhook_queue USING btree (lease_until) WHERE (status = 1);

CREATE INDEX webhook_queue_retries ON public.webhook_queue USING btree (app_id, webhook_id, message_id) WHERE ((failed_attempts > 0) OR (deferrals > 0));
