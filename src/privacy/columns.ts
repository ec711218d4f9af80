/** Classifies every column by the personal data that it can hold; a test fails for a column without a class. */
import type { Database } from '../db/index.ts';

/**
 * - `shell`: no personal data: ids of records, times, counts, flags, results; kept.
 * - `customer`: the customer's settings and content; kept.
 * - `secret`: hashed or encrypted secrets of the customer.
 * - `personal`: personal data; scrubbed through the manifest.
 * - `delivered`: bodies of webhook messages and of responses; scrubbed with the record that they describe.
 * - `request`: the person's identifiers in an erasure request; deleted when it is complete.
 * - `audit`: proof of requests; kept.
 */
type ColumnClass = 'shell' | 'customer' | 'secret' | 'personal' | 'delivered' | 'request' | 'audit';

/** Common columns of installs and opens. */
const DEVICE = ['ip_hash', 'user_agent', 'device_model', 'os_version', 'locale', 'fingerprint'] as const;
const RESULT = ['platform', 'attribution_method', 'click_id', 'link_id', 'confidence', 'trace'] as const;

export const COLUMN_CLASSES: {
  readonly [T in keyof Database]: { readonly [C in ColumnClass]?: readonly (keyof Database[T])[] };
} = {
  apps: {
    shell: ['id', 'links_revision', 'created_at', 'updated_at'],
    customer: [
      'name',
      'ios_bundle_id',
      'ios_team_id',
      'ios_app_store_id',
      'android_package',
      'android_cert_fingerprints',
      'url_scheme',
      'short_link_host',
      'ios_destination',
      'android_destination',
      'fallback_url',
      'landing_page',
      'clipboard_token',
      'referrer_window_hours',
      'click_id_window_hours',
      'fingerprint_window_hours',
      'fingerprint_ios',
      'fingerprint_android',
      'daily_event_limit',
      'daily_event_bytes',
    ],
  },
  api_keys: {
    shell: ['app_id', 'id', 'kind', 'created_at', 'last_used_at', 'revoked_at'],
    customer: ['hint'],
    secret: ['hash'],
  },
  api_key_hashes: {
    shell: ['app_id', 'key_id'],
    secret: ['hash'],
  },
  bootstraps: {
    shell: ['id', 'app_id', 'secret_mark', 'made_at'],
  },
  moves: {
    shell: ['id', 'move_id', 'began_at', 'ended_at'],
  },
  idempotency_keys: {
    shell: ['app_id', 'scope', 'status', 'created_at'],
    customer: ['idempotency_key', 'response'],
    secret: ['request_hash'],
  },
  links: {
    shell: ['app_id', 'id', 'sandbox', 'expires_at', 'created_at', 'updated_at', 'deleted_at'],
    customer: [
      'short_code',
      'deep_link_path',
      'deep_link_params',
      'campaign_id',
      'ios_destination',
      'android_destination',
      'fallback_url',
      'og_title',
      'og_description',
      'og_image',
      'landing_page',
      'metadata',
    ],
  },
  short_codes: {
    shell: ['app_id', 'link_id'],
    customer: ['code'],
  },
  clicks: {
    shell: [
      'app_id',
      'id',
      'link_id',
      'sandbox',
      'visitor',
      'visitor_reason',
      'platform',
      'signals_at',
      'clicked_at',
      'claimed_by_install',
      'claimed_by_open',
    ],
    customer: ['campaign_id'],
    personal: ['ip_hash', 'user_agent', 'accept_language', 'device_model', 'fingerprint'],
  },
  daily_counts: {
    shell: ['app_id', 'link_id', 'day', 'kind', 'platform', 'method', 'visitor', 'sandbox', 'stripe', 'n'],
    customer: ['campaign_id'],
  },
  daily_usage: {
    shell: ['app_id', 'day', 'kind', 'subject', 'records', 'bytes'],
  },
  installs: {
    shell: ['app_id', 'id', 'sandbox', 'installed_at', ...RESULT],
    customer: ['campaign_id', 'answer'],
    personal: ['user_id', ...DEVICE],
  },
  opens: {
    shell: ['app_id', 'id', 'install_id', 'sandbox', 'opened_at', ...RESULT],
    customer: ['campaign_id', 'answer'],
    personal: ['user_id', ...DEVICE],
  },
  events: {
    shell: ['app_id', 'id', 'install_id', 'sandbox', 'occurred_at', 'created_at'],
    customer: ['event_name'],
    personal: ['client_event_id', 'properties', 'user_id'],
  },
  event_ids: {
    shell: ['app_id', 'mark', 'event_id', 'install_id'],
  },
  webhooks: {
    shell: ['app_id', 'id', 'former_secret_until', 'enabled', 'created_at', 'updated_at'],
    customer: ['url', 'events', 'template', 'template_config'],
    secret: ['secret', 'former_secret'],
  },
  webhook_messages: {
    shell: ['app_id', 'id', 'event_type', 'sandbox', 'record_id'],
    delivered: ['body'],
  },
  webhook_deliveries_due: {
    shell: ['app_id', 'id', 'webhook_id', 'message_id', 'failed_attempts', 'due_at'],
  },
  webhook_attempts_under_way: {
    shell: ['app_id', 'id', 'webhook_id', 'message_id', 'failed_attempts', 'started_at'],
    customer: ['webhook_url'],
  },
  webhook_attempts: {
    shell: [
      'app_id',
      'id',
      'webhook_id',
      'message_id',
      'event_type',
      'sandbox',
      'http_status',
      'error_message',
      'attempt_number',
      'success',
      'duration_ms',
      'started_at',
    ],
    customer: ['webhook_url'],
    delivered: ['response_body'],
  },
  postbacks: {
    shell: [
      'app_id',
      'id',
      'sandbox',
      'kind',
      'sent_by',
      'verdict',
      'reason',
      'received_at',
      'day',
      'times_received',
      'version',
      'ad_network_id',
      'app_store_id',
      'transaction_id',
      'sequence_index',
      'source_identifier',
      'campaign_id',
      'did_win',
      'conversion_type',
      'conversion_value',
      'coarse_conversion_value',
      'country_code',
      'fields_left_out',
    ],
    customer: ['body'],
  },
  conversion_values: {
    shell: ['app_id', 'updated_at'],
    customer: ['windows'],
  },
  audit_log: {
    shell: ['app_id', 'id', 'action', 'sandbox', 'created_at'],
    audit: ['details'],
  },
  erasure_requests: {
    shell: [
      'app_id',
      'id',
      'sandbox',
      'requested_at',
      'ways_found_at',
      'scrubbed_at',
      'completed_at',
      'counts',
    ],
    request: ['ip_hash', 'user_id'],
  },
  erasure_ways: {
    shell: ['app_id', 'request_id', 'kind'],
    request: ['value'],
  },
  erased_addresses: {
    shell: ['app_id', 'address_mark', 'sandbox_only', 'erased_until'],
  },
  journals: {
    shell: ['id', 'seen_at', 'flush_wanted_at', 'flushed_at'],
  },
  leases: {
    shell: ['name', 'holder', 'held_until'],
  },
  retention_clock: {
    shell: ['id', 'seen_at'],
  },
};
