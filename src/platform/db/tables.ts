/**
 * Rows as both engines give them to JavaScript: identifiers and times are text (UUID, ISO 8601 in UTC with
 * milliseconds), JSON is text and parsed where it is presented, flags are 0 or 1.
 */
import type { Generated } from 'kysely';

export type Flag = 0 | 1;

export function toFlag(value: boolean): Flag {
  return value ? 1 : 0;
}

export interface Tables {
  apps: AppsTable;
  api_keys: ApiKeysTable;
  api_key_hashes: ApiKeyHashesTable;
  bootstraps: BootstrapsTable;
  idempotency_keys: IdempotencyKeysTable;
  links: LinksTable;
  short_codes: ShortCodesTable;
  clicks: ClicksTable;
  installs: InstallsTable;
  opens: OpensTable;
  events: EventsTable;
  webhooks: WebhooksTable;
  webhook_messages: MessagesTable;
  webhook_deliveries_due: DeliveriesDueTable;
  webhook_attempts_under_way: AttemptsUnderWayTable;
  webhook_attempts: AttemptsTable;
  audit_log: AuditLogTable;
}

export interface AppsTable {
  id: string;
  name: string;
  ios_bundle_id: string | null;
  ios_team_id: string | null;
  ios_app_store_id: string | null;
  android_package: string | null;
  /** JSON array of SHA-256 fingerprints. */
  android_cert_fingerprints: string;
  url_scheme: string | null;
  ios_destination: string | null;
  android_destination: string | null;
  fallback_url: string | null;
  referrer_window_hours: number;
  click_id_window_hours: number;
  fingerprint_window_hours: number;
  fingerprint_ios: Flag;
  fingerprint_android: Flag;
  created_at: string;
  updated_at: string;
}

export interface ApiKeysTable {
  app_id: string;
  id: string;
  kind: string;
  /** The key's first characters and its last four, to tell keys apart. */
  hint: string;
  hash: string;
  created_at: string;
  last_used_at: string | null;
  revoked_at: string | null;
}

/** Directory: a key says nothing about its app. */
export interface ApiKeyHashesTable {
  hash: string;
  app_id: string;
  key_id: string;
}

/** One row once the first app was made, so that two processes starting together make one. */
export interface BootstrapsTable {
  id: number;
  app_id: string;
  made_at: string;
}

export interface IdempotencyKeysTable {
  app_id: string;
  scope: string;
  idempotency_key: string;
  request_hash: string;
  status: number;
  /** JSON. */
  response: string;
  created_at: string;
}

export interface LinksTable {
  app_id: string;
  id: string;
  short_code: string;
  deep_link_path: string;
  /** JSON object. */
  deep_link_params: string;
  campaign_id: string | null;
  ios_destination: string | null;
  android_destination: string | null;
  fallback_url: string | null;
  /** JSON object. */
  metadata: string;
  sandbox: Flag;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

/** Directory: a short code says nothing about its app. Rows stay when links are deleted, so no code is used twice. */
export interface ShortCodesTable {
  code: string;
  app_id: string;
  link_id: string;
}

export interface ClicksTable {
  app_id: string;
  id: string;
  link_id: string;
  campaign_id: string | null;
  sandbox: Flag;
  /** human, tool, crawler, preview, prefetch or head. */
  visitor: string;
  /** ANDROID, IOS or null. */
  platform: string | null;
  ip_hash: string | null;
  user_agent: string | null;
  accept_language: string | null;
  device_model: string | null;
  /** JSON: what a page collected about the device. */
  fingerprint: string | null;
  clicked_at: string;
  claimed_by_install: Generated<string | null>;
  claimed_by_open: Generated<string | null>;
}

/** What the SDK tells about the device; the same columns on installs and opens. */
export interface DeviceColumns {
  platform: string;
  ip_hash: string | null;
  user_agent: string | null;
  device_model: string | null;
  os_version: string | null;
  locale: string | null;
  /** JSON: the rest of the fingerprint, without the address. */
  fingerprint: string | null;
}

/** How an install or an open was attributed; the same columns on both. */
export interface OutcomeColumns {
  attribution_method: string;
  click_id: string | null;
  link_id: string | null;
  campaign_id: string | null;
  /** Decimal from 0 to 1 as text; null unless FINGERPRINT. */
  confidence: string | null;
  /** JSON: the answer as it was given, for a retry. */
  answer: string;
  /** JSON: why it was decided so; identifiers and weights, never a value of a signal. */
  trace: string;
}

export interface InstallsTable extends DeviceColumns, OutcomeColumns {
  app_id: string;
  id: string;
  sandbox: Flag;
  user_id: string | null;
  installed_at: string;
}

export interface OpensTable extends DeviceColumns, OutcomeColumns {
  app_id: string;
  id: string;
  install_id: string | null;
  sandbox: Flag;
  user_id: string | null;
  opened_at: string;
}

export interface EventsTable {
  app_id: string;
  id: string;
  install_id: string;
  event_name: string;
  /** JSON object. */
  properties: string;
  user_id: string | null;
  sandbox: Flag;
  occurred_at: string;
  created_at: string;
}

export interface WebhooksTable {
  app_id: string;
  id: string;
  url: string;
  /** Encrypted, as the former one is. */
  secret: string | null;
  /** Signs beside the secret until then. */
  former_secret: string | null;
  former_secret_until: string | null;
  /** JSON array of event types; an empty one means all. */
  events: string;
  enabled: Flag;
  template: string | null;
  /** JSON object. */
  template_config: string | null;
  created_at: string;
  updated_at: string;
}

/** What webhooks are told: the bytes that every attempt sends, once for all webhooks that are told the same. */
export interface MessagesTable {
  app_id: string;
  /** What receivers know it by; a redelivery has it again. */
  id: string;
  event_type: string;
  sandbox: Flag;
  /** The install, open, event or postback that it tells of; of a test, the webhook. */
  record_id: string;
  /** Empty once a person in it was erased. */
  body: string;
}

/** What waits to be sent: one row for each webhook that a message goes to. */
export interface DeliveriesDueTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  failed_attempts: number;
  due_at: string;
}

/** What is being sent: a delivery is moved here before its attempt, and from here into the log when that has ended. */
export interface AttemptsUnderWayTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  webhook_url: string;
  failed_attempts: number;
  started_at: string;
}

/** The delivery log: one row for each attempt that ended, by its own or by a crash. */
export interface AttemptsTable {
  app_id: string;
  id: string;
  webhook_id: string;
  message_id: string;
  event_type: string;
  sandbox: Flag;
  webhook_url: string;
  /** 0 where there was no answer. */
  http_status: number;
  response_body: string;
  error_message: string | null;
  attempt_number: number;
  success: Flag;
  duration_ms: number;
  started_at: string;
}

export interface AuditLogTable {
  app_id: string;
  id: string;
  action: string;
  /** JSON object. */
  details: string;
  sandbox: Flag;
  created_at: string;
}
