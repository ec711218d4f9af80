/**
 * Generated from the migrated schema by `npm run snapshots`. Identifiers and times are text (UUID; ISO 8601 in UTC with
 * milliseconds), JSON is text that is parsed where it is presented, flags are 0 or 1.
 */
import type { Generated } from 'kysely';
import type { Flag } from './flag.ts';

export interface Database {
  accuracy_counts: AccuracyCountsTable;
  accuracy_days: AccuracyDaysTable;
  api_key_hashes: ApiKeyHashesTable;
  api_keys: ApiKeysTable;
  apps: AppsTable;
  audit_log: AuditLogTable;
  bootstraps: BootstrapsTable;
  clicks: ClicksTable;
  cohort_days: CohortDaysTable;
  conversion_values: ConversionValuesTable;
  costs: CostsTable;
  count_days: CountDaysTable;
  count_quarters: CountQuartersTable;
  daily_usage: DailyUsageTable;
  destination_feed: DestinationFeedTable;
  erased_addresses: ErasedAddressesTable;
  erasure_identifiers: ErasureIdentifiersTable;
  erasure_requests: ErasureRequestsTable;
  event_ids: EventIdsTable;
  events: EventsTable;
  former_secrets: FormerSecretsTable;
  gone_installs: GoneInstallsTable;
  idempotency_keys: IdempotencyKeysTable;
  import_parts: ImportPartsTable;
  imports: ImportsTable;
  installs: InstallsTable;
  invitations: InvitationsTable;
  journals: JournalsTable;
  leases: LeasesTable;
  link_days: LinkDaysTable;
  link_rules: LinkRulesTable;
  link_tags: LinkTagsTable;
  link_texts: LinkTextsTable;
  links: LinksTable;
  memberships: MembershipsTable;
  moves: MovesTable;
  network_campaigns: NetworkCampaignsTable;
  opens: OpensTable;
  password_resets: PasswordResetsTable;
  pending_counts: PendingCountsTable;
  postbacks: PostbacksTable;
  retention_clock: RetentionClockTable;
  revenuecat_kinds: RevenuecatKindsTable;
  revenuecat_waiting: RevenuecatWaitingTable;
  revenuecat_waiting_users: RevenuecatWaitingUsersTable;
  service_log: ServiceLogTable;
  sessions: SessionsTable;
  setup_tokens: SetupTokensTable;
  short_codes: ShortCodesTable;
  users: UsersTable;
  watched_hosts: WatchedHostsTable;
  webhook_attempts: WebhookAttemptsTable;
  webhook_failures: WebhookFailuresTable;
  webhook_hours: WebhookHoursTable;
  webhook_messages: WebhookMessagesTable;
  webhook_queue: WebhookQueueTable;
  webhook_receivers: WebhookReceiversTable;
  webhooks: WebhooksTable;
}

export interface AccuracyCountsTable {
  app_id: string;
  day: string;
  platform: string;
  verdict: string;
  percent: number;
  installs: number;
}

export interface AccuracyDaysTable {
  app_id: string;
  day: string;
  halvings: number;
}

export interface ApiKeyHashesTable {
  hash: string;
  app_id: string;
  key_id: string;
}

export interface ApiKeysTable {
  app_id: string;
  id: string;
  kind: string;
  hint: string;
  hash: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
  made_by: string | null;
  name: string | null;
  maker: string | null;
  public_key: string | null;
  ends_at: string | null;
  replaces: string | null;
  replaced_by: string | null;
}

export interface AppsTable {
  id: string;
  name: string;
  ios_bundle_id: string | null;
  ios_team_id: string | null;
  ios_app_store_id: string | null;
  android_package: string | null;
  android_cert_fingerprints: string;
  url_scheme: string | null;
  short_link_host: string | null;
  ios_destination: string | null;
  android_destination: string | null;
  fallback_url: string | null;
  landing_page: string;
  clipboard_token: Flag;
  referrer_window_hours: number;
  click_id_window_hours: number;
  fingerprint_window_hours: number;
  fingerprint_ios: Flag;
  fingerprint_android: Flag;
  links_revision: number;
  created_at: string;
  updated_at: string;
  daily_event_limit: number | null;
  daily_event_bytes: number | null;
  root_url: string | null;
  not_found_url: string | null;
  firebase_long_links: string | null;
  app_links: string | null;
  apple_ads: Flag | null;
  meta_referrer_key: string | null;
  fingerprint_threshold_percent: Generated<number>;
  measure_accuracy: Generated<Flag>;
  revenuecat_key: string | null;
}

export interface AuditLogTable {
  app_id: string;
  id: string;
  action: string;
  details: string;
  sandbox: Flag;
  created_at: string;
}

export interface BootstrapsTable {
  id: number;
  app_id: string;
  secret_mark: string;
  made_at: string;
}

export interface ClicksTable {
  app_id: string;
  id: string;
  link_id: string;
  campaign_id: string | null;
  sandbox: Flag;
  visitor: string;
  visitor_reason: string | null;
  platform: string | null;
  ip_hash: string | null;
  user_agent: string | null;
  accept_language: string | null;
  device_model: string | null;
  fingerprint: string | null;
  signals_at: string | null;
  clicked_at: string;
  claimed_by_install: string | null;
  claimed_by_open: string | null;
  country: string | null;
  referrer: string | null;
  utm: string | null;
  erased: Flag | null;
  query: string | null;
  erased_at: string | null;
  rule_id: string | null;
  path_rest: string | null;
}

export interface CohortDaysTable {
  app_id: string;
  sandbox: Flag;
  day: string;
  link_id: string;
  campaign_id: string;
  method: string;
  installs: number;
  active: string;
}

export interface ConversionValuesTable {
  app_id: string;
  windows: string;
  updated_at: string;
}

export interface CostsTable {
  app_id: string;
  id: string;
  sandbox: Flag;
  day: string;
  network: string;
  campaign_id: string;
  currency: string;
  amount: string;
  created_at: string;
  updated_at: string;
}

export interface CountDaysTable {
  app_id: string;
  sandbox: Flag;
  scope: string;
  dimension: string;
  day: string;
  value: string;
  platform: string;
  clicks: number;
  other_clicks: number;
  installs: number;
  attributed_installs: number;
  opens: number;
  direct_opens: number;
  events: number;
  credited_events: number;
  tool_clicks: number;
  revenue: string | null;
  credited_revenue: string | null;
  existing_users: Generated<number>;
  paying_installs: Generated<number>;
  first_purchases: Generated<number>;
  cohort_revenue: string | null;
  network_installs: Generated<number>;
  network_cohort_revenue: string | null;
}

export interface CountQuartersTable {
  app_id: string;
  sandbox: Flag;
  scope: string;
  dimension: string;
  day: string;
  value: string;
  platform: string;
  quarters: string;
}

export interface DailyUsageTable {
  app_id: string;
  day: string;
  kind: string;
  subject: string;
  records: number;
  bytes: number;
}

export interface DestinationFeedTable {
  app_id: string;
  id: string;
  records: string;
}

export interface ErasedAddressesTable {
  app_id: string;
  address_mark: string;
  sandbox_only: Flag;
  erased_until: string;
}

export interface ErasureIdentifiersTable {
  app_id: string;
  request_id: string;
  kind: string;
  value: string;
}

export interface ErasureRequestsTable {
  app_id: string;
  id: string;
  sandbox: Flag;
  ip_hash: string | null;
  user_id: string | null;
  requested_at: string;
  identifiers_found_at: string | null;
  scrubbed_at: string | null;
  completed_at: string | null;
  counts: string;
  spare_shared: Generated<Flag>;
  identifiers: string | null;
}

export interface EventIdsTable {
  app_id: string;
  mark: string;
  event_id: string;
  install_id: string;
}

export interface EventsTable {
  app_id: string;
  id: string;
  client_event_id: string | null;
  install_id: string;
  event_name: string;
  properties: string;
  user_id: string | null;
  sandbox: Flag;
  occurred_at: string;
  created_at: string;
  erased: Flag | null;
  link_id: string | null;
  campaign_id: string | null;
  platform: string | null;
  country: string | null;
  last_link_id: string | null;
  last_campaign_id: string | null;
  revenue_amount: string | null;
  revenue_currency: string | null;
  erased_at: string | null;
  transaction_id: string | null;
  repeats_transaction: Flag | null;
}

export interface FormerSecretsTable {
  mark: string;
  keys: string;
  replaced_at: string;
  reencrypted_at: string | null;
}

export interface GoneInstallsTable {
  app_id: string;
  install_mark: string;
  gone_at: string;
}

export interface IdempotencyKeysTable {
  app_id: string;
  scope: string;
  idempotency_key: string;
  request_hash: string;
  status: number;
  response: string;
  created_at: string;
}

export interface ImportPartsTable {
  app_id: string;
  import_id: string;
  number: number;
  content: string;
}

export interface ImportsTable {
  app_id: string;
  id: string;
  source: string;
  dry_run: Flag;
  sandbox: Flag;
  status: string;
  owner: string;
  alive_until: string;
  progress: Generated<number>;
  judged_rows: Generated<number>;
  created: Generated<number>;
  unchanged: Generated<number>;
  conflicts: Generated<number>;
  failed: Generated<number>;
  written_parts: Generated<number>;
  columns: Generated<string>;
  notes: Generated<string>;
  failure_columns: Generated<string>;
  error: string | null;
  created_at: string;
  completed_at: string | null;
}

export interface InstallsTable {
  app_id: string;
  id: string;
  sandbox: Flag;
  user_id: string | null;
  installed_at: string;
  platform: string;
  ip_hash: string | null;
  user_agent: string | null;
  device_model: string | null;
  os_version: string | null;
  locale: string | null;
  fingerprint: string | null;
  attribution_method: string;
  click_id: string | null;
  link_id: string | null;
  campaign_id: string | null;
  confidence: string | null;
  answer: string;
  trace: string;
  country: string | null;
  referrer: string | null;
  utm: string | null;
  erased: Flag | null;
  last_open: string | null;
  active_days: number | null;
  existing_user: Flag | null;
  first_purchase: string | null;
  erased_at: string | null;
  invited_by: string | null;
  deterministic_only: Flag | null;
  consented_at: string | null;
  network: string | null;
  network_name: string | null;
  network_campaign: string | null;
  network_trace: string | null;
  google_click_ids: string | null;
  identifiers: string | null;
  identifier_times: string | null;
}

export interface InvitationsTable {
  app_id: string;
  id: string;
  email: string;
  role: string;
  token_hash: string;
  created_at: string;
  made_by: string | null;
  mailed_token_hash: string | null;
}

export interface JournalsTable {
  id: string;
  seen_at: string;
  flush_wanted_at: string | null;
  flushed_at: string | null;
  apps_behind: string | null;
}

export interface LeasesTable {
  name: string;
  holder: string;
  held_until: string;
}

export interface LinkDaysTable {
  app_id: string;
  link_id: string;
  sandbox: Flag;
  day: string;
  campaign_id: string;
  cells: string;
}

export interface LinkRulesTable {
  app_id: string;
  link_id: string;
  id: string;
  rule: string;
}

export interface LinkTagsTable {
  app_id: string;
  tag: string;
  link_id: string;
}

export interface LinkTextsTable {
  app_id: string;
  link_id: string;
  words: string;
}

export interface LinksTable {
  app_id: string;
  id: string;
  short_code: string;
  deep_link_path: string;
  deep_link_params: string;
  campaign_id: string | null;
  ios_destination: string | null;
  android_destination: string | null;
  fallback_url: string | null;
  og_title: string | null;
  og_description: string | null;
  og_image: string | null;
  landing_page: string | null;
  metadata: string;
  sandbox: Flag;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
  title: string | null;
  tags: Generated<string>;
  path: string | null;
  pass_path: Generated<Flag>;
  rules: Generated<string>;
  pass_query: string | null;
  expired_url: string | null;
  gone_when_expired: Generated<Flag>;
  min_app_version: string | null;
  imported_clicks: number | null;
  invited_by: string | null;
}

export interface MembershipsTable {
  app_id: string;
  user_id: string;
  role: string;
  created_at: string;
}

export interface MovesTable {
  id: number;
  move_id: string;
  began_at: string;
  ended_at: string | null;
  target: string | null;
}

export interface NetworkCampaignsTable {
  app_id: string;
  network: string;
  campaign_id: string;
  name: string;
}

export interface OpensTable {
  app_id: string;
  id: string;
  install_id: string | null;
  sandbox: Flag;
  user_id: string | null;
  opened_at: string;
  platform: string;
  ip_hash: string | null;
  user_agent: string | null;
  device_model: string | null;
  os_version: string | null;
  locale: string | null;
  fingerprint: string | null;
  attribution_method: string;
  click_id: string | null;
  link_id: string | null;
  campaign_id: string | null;
  confidence: string | null;
  answer: string;
  trace: string;
  country: string | null;
  referrer: string | null;
  utm: string | null;
  erased: Flag | null;
  erased_at: string | null;
  deterministic_only: Flag | null;
}

export interface PasswordResetsTable {
  token_hash: string;
  user_id: string;
  made_by: string | null;
  is_mailed: Flag;
  created_at: string;
}

export interface PendingCountsTable {
  app_id: string;
  id: Generated<string>;
  facts: string;
}

export interface PostbacksTable {
  app_id: string;
  id: string;
  sandbox: Flag;
  kind: string;
  sent_by: string;
  verdict: string;
  reason: string | null;
  body: string;
  received_at: string;
  day: string;
  times_received: number;
  version: string | null;
  ad_network_id: string | null;
  app_store_id: number | null;
  transaction_id: string | null;
  sequence_index: number;
  source_identifier: string | null;
  campaign_id: number | null;
  did_win: Flag | null;
  conversion_type: string | null;
  conversion_value: number | null;
  coarse_conversion_value: string | null;
  country_code: string | null;
  fields_left_out: Generated<number>;
}

export interface RetentionClockTable {
  id: number;
  seen_at: string;
}

export interface RevenuecatKindsTable {
  app_id: string;
  kind: string;
  received: number;
  dropped: Generated<number>;
  received_at: string;
}

export interface RevenuecatWaitingTable {
  app_id: string;
  id: string;
  kind: string;
  sandbox: Flag;
  received_at: string;
  content: string;
}

export interface RevenuecatWaitingUsersTable {
  app_id: string;
  mark: string;
  waiting_id: string;
}

export interface ServiceLogTable {
  id: string;
  action: string;
  details: string;
  created_at: string;
}

export interface SessionsTable {
  id: string;
  user_id: string;
  token_hash: string;
  user_agent: string | null;
  created_at: string;
  last_used_at: string;
}

export interface SetupTokensTable {
  id: number;
  token_hash: string;
  created_at: string;
  made_by: string | null;
  email: string | null;
}

export interface ShortCodesTable {
  code: string;
  app_id: string;
  link_id: string;
}

export interface UsersTable {
  id: string;
  email: string;
  name: string;
  password_hash: string | null;
  oidc_subject: string | null;
  is_operator: Flag;
  created_at: string;
  last_used_at: string | null;
  email_proven_at: string | null;
  disabled_at: string | null;
}

export interface WatchedHostsTable {
  app_id: string;
  host: string;
  next_look_at: string;
  looked_at: string | null;
  certificate_ends_at: string | null;
  checks: string;
}

export interface WebhookAttemptsTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  event_type: string;
  sandbox: Flag;
  webhook_url: string;
  http_status: number;
  response_body: string;
  error_message: string | null;
  attempt_number: number;
  success: Flag;
  duration_ms: number;
  started_at: string;
}

export interface WebhookFailuresTable {
  app_id: string;
  webhook_id: string;
  message_id: string;
  sandbox: Flag;
}

export interface WebhookHoursTable {
  app_id: string;
  webhook_id: string;
  hour: string;
  delivered: number;
  failed: number;
  last_success_at: string | null;
  last_failure_at: string | null;
  failing_since: string | null;
}

export interface WebhookMessagesTable {
  app_id: string;
  id: string;
  event_type: string;
  sandbox: Flag;
  record_id: string;
  body: string;
}

export interface WebhookQueueTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  status: Flag;
  failed_attempts: number;
  next_attempt_at: string;
  lease_until: string | null;
  webhook_url: string | null;
  deferrals: Generated<number>;
  is_repeat: Generated<Flag>;
}

export interface WebhookReceiversTable {
  id: string;
  next_attempt_at: string;
  paused_until: string | null;
}

export interface WebhooksTable {
  app_id: string;
  id: string;
  url: string;
  secret: string | null;
  former_secret: string | null;
  former_secret_until: string | null;
  events: string;
  enabled: Flag;
  template: string | null;
  template_config: string | null;
  created_at: string;
  updated_at: string;
  sandbox_only: Generated<Flag>;
  retries: Generated<string>;
  kind: Generated<string>;
  name: string | null;
  type: string | null;
  config: string | null;
  event_names: string | null;
  mapping: string | null;
  consent: string | null;
}
