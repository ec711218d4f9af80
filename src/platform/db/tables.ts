/**
 * Rows as both engines give them to JavaScript: identifiers and times are text (UUID, ISO 8601 in UTC with
 * milliseconds), JSON is text and parsed where it is presented, flags are 0 or 1.
 */
import type { Generated } from 'kysely';
import type { DailyCountsTable, DailyUsageTable } from './count-tables.ts';
import type { Flag } from './flag.ts';
import type { ErasedAddressesTable, ErasureRequestsTable, ErasureWaysTable } from './privacy-tables.ts';
import type { JournalsTable, LeasesTable, RetentionClockTable } from './server-tables.ts';
import type { ConversionValuesTable, PostbacksTable } from './skan-tables.ts';
import type {
  AttemptsTable,
  AttemptsUnderWayTable,
  DeliveriesDueTable,
  MessagesTable,
  WebhooksTable,
} from './webhook-tables.ts';

/** Every table that queries name. Those of the migrator and of the shared counters are not among them. */
export interface Tables {
  apps: AppsTable;
  api_keys: ApiKeysTable;
  api_key_hashes: ApiKeyHashesTable;
  bootstraps: BootstrapsTable;
  moves: MovesTable;
  idempotency_keys: IdempotencyKeysTable;
  links: LinksTable;
  short_codes: ShortCodesTable;
  clicks: ClicksTable;
  daily_counts: DailyCountsTable;
  daily_usage: DailyUsageTable;
  installs: InstallsTable;
  opens: OpensTable;
  events: EventsTable;
  event_ids: EventIdsTable;
  webhooks: WebhooksTable;
  webhook_messages: MessagesTable;
  webhook_deliveries_due: DeliveriesDueTable;
  webhook_attempts_under_way: AttemptsUnderWayTable;
  webhook_attempts: AttemptsTable;
  postbacks: PostbacksTable;
  conversion_values: ConversionValuesTable;
  audit_log: AuditLogTable;
  erasure_requests: ErasureRequestsTable;
  erasure_ways: ErasureWaysTable;
  erased_addresses: ErasedAddressesTable;
  journals: JournalsTable;
  leases: LeasesTable;
  retention_clock: RetentionClockTable;
}

/** Apps with their windows, and what their links fall back on. */
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
  /** In lower case, without a port; null where the app's links are at the host of all. */
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
  /** Null where the default bound holds; so are the bytes. */
  daily_event_limit: number | null;
  daily_event_bytes: number | null;
  /** Grows with each change of the app and of a link of it, in the same transaction. */
  links_revision: number;
  created_at: string;
  updated_at: string;
}

/** Keys as hashes, revoked ones too. */
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
interface ApiKeyHashesTable {
  hash: string;
  app_id: string;
  key_id: string;
}

/** One row once the first app was made, so that two processes starting together make one. */
export interface BootstrapsTable {
  id: number;
  app_id: string;
  /** A text signed with the root secret, which tells that secret from others and nothing else of it. */
  secret_mark: string;
  made_at: string;
}

/** One row where the data came from another database. */
export interface MovesTable {
  id: number;
  move_id: string;
  began_at: string;
  /** Null until every row is here and was checked: nobody may serve from it before. */
  ended_at: string | null;
}

/** Answers of the last 24 hours, by the `Idempotency-Key` of the call: see `http/idempotency.ts`. */
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

/** Links, deleted ones too. */
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
  og_title: string | null;
  og_description: string | null;
  og_image: string | null;
  /** Null where the app's counts. */
  landing_page: string | null;
  /** JSON object. */
  metadata: string;
  sandbox: Flag;
  expires_at: string | null;
  created_at: string;
  updated_at: string;
  deleted_at: string | null;
}

/** Directory: a short code says nothing about its app. Rows stay when links are deleted, so no code is used twice. */
interface ShortCodesTable {
  code: string;
  app_id: string;
  link_id: string;
}

/** What kind of visitor a hit comes from: see `clicks/visitor.ts`. */
export type VisitorKind = 'human' | 'tool' | 'crawler' | 'preview' | 'prefetch' | 'embedded' | 'head';

/** Clicks, of every kind of visitor, and who claimed them. */
export interface ClicksTable {
  app_id: string;
  id: string;
  link_id: string;
  campaign_id: string | null;
  sandbox: Flag;
  visitor: VisitorKind;
  /** What decided that: `method`, a header's name, or `user-agent:` and what it calls itself. */
  visitor_reason: string | null;
  /** ANDROID, IOS or null. */
  platform: string | null;
  ip_hash: string | null;
  user_agent: string | null;
  accept_language: string | null;
  /** From a client hint. */
  device_model: string | null;
  /** JSON: what a page or a client hint told of the device. */
  fingerprint: string | null;
  /** When a page described the device; null where none did. */
  signals_at: Generated<string | null>;
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

/** First starts of the app on a phone. */
export interface InstallsTable extends DeviceColumns, OutcomeColumns {
  app_id: string;
  id: string;
  sandbox: Flag;
  user_id: string | null;
  installed_at: string;
}

/** Deferred opens. One may come before its install does, and then names none. */
export interface OpensTable extends DeviceColumns, OutcomeColumns {
  app_id: string;
  id: string;
  install_id: string | null;
  sandbox: Flag;
  user_id: string | null;
  opened_at: string;
}

/** What happened in the app after the install. */
export interface EventsTable {
  app_id: string;
  /** Ours, also where the client made one. */
  id: string;
  /** Null where the client made none, and once a person in the event was erased. */
  client_event_id: string | null;
  install_id: string;
  event_name: string;
  /** JSON object. */
  properties: string;
  user_id: string | null;
  sandbox: Flag;
  occurred_at: string;
  created_at: string;
}

/** Events that a client named, so that one sent again is known for as long as the event is kept, erased or not. */
export interface EventIdsTable {
  app_id: string;
  /** Keyed hash of the identifier that the client made, in the form of a UUID: it says nothing without the key. */
  mark: string;
  event_id: string;
  install_id: string;
}

/** What has to be kept track of. Its details are those of the action. */
export interface AuditLogTable {
  app_id: string;
  id: string;
  action: string;
  /** JSON object. */
  details: string;
  sandbox: Flag;
  created_at: string;
}
