import type { Database } from './tables.ts';

/** `by` is the distribution column, or null for a table on the coordinator that Citus knows. */
type Placement = { readonly by: 'app_id' | 'code' | null } | 'coordinator';

/**
 * For transactions that also write distributed tables: Citus uses two-phase commit only for tables that it knows.
 * Otherwise it commits on the node first, and a crash of the coordinator loses the coordinator's part.
 */
const COORDINATOR_WITH_2PC = { by: null } as const;

/** Colocated: an app's rows of all these tables are on one node. */
const BY_APP = { by: 'app_id' } as const;

/**
 * The coordinator holds small tables that are queried without an app, the queue of attempts, which is locked row by row,
 * and the server's own tables. The others grow with traffic.
 */
const PLACEMENTS: Readonly<Record<keyof Database, Placement>> = {
  apps: 'coordinator',
  api_keys: 'coordinator',
  api_key_hashes: 'coordinator',
  bootstraps: 'coordinator',
  former_secrets: 'coordinator',
  moves: 'coordinator',
  users: 'coordinator',
  memberships: 'coordinator',
  sessions: 'coordinator',
  invitations: 'coordinator',
  setup_tokens: 'coordinator',
  password_resets: 'coordinator',
  service_log: 'coordinator',
  webhooks: 'coordinator',
  webhook_queue: COORDINATOR_WITH_2PC,
  webhook_receivers: 'coordinator',
  watched_hosts: COORDINATOR_WITH_2PC,
  erased_addresses: 'coordinator',
  journals: 'coordinator',
  leases: 'coordinator',
  retention_clock: 'coordinator',
  // Looked up without knowing the app.
  short_codes: { by: 'code' },
  links: BY_APP,
  link_tags: BY_APP,
  link_texts: BY_APP,
  link_rules: BY_APP,
  imports: BY_APP,
  import_parts: BY_APP,
  clicks: BY_APP,
  installs: BY_APP,
  opens: BY_APP,
  events: BY_APP,
  event_ids: BY_APP,
  gone_installs: BY_APP,
  pending_counts: BY_APP,
  count_days: BY_APP,
  count_quarters: BY_APP,
  link_days: BY_APP,
  cohort_days: BY_APP,
  daily_usage: BY_APP,
  costs: BY_APP,
  destination_feed: BY_APP,
  revenuecat_kinds: BY_APP,
  revenuecat_waiting: BY_APP,
  revenuecat_waiting_users: BY_APP,
  network_campaigns: BY_APP,
  accuracy_counts: BY_APP,
  accuracy_days: BY_APP,
  webhook_messages: BY_APP,
  webhook_attempts: BY_APP,
  webhook_failures: BY_APP,
  webhook_hours: BY_APP,
  postbacks: BY_APP,
  conversion_values: BY_APP,
  audit_log: BY_APP,
  erasure_requests: BY_APP,
  erasure_identifiers: BY_APP,
  idempotency_keys: BY_APP,
};

/** All tables. */
export const TABLES: readonly string[] = Object.keys(PLACEMENTS);

/** A table that Citus knows, and its distribution column; null on the coordinator. */
export interface CitusTable {
  readonly table: string;
  readonly by: string | null;
}

export const CITUS_TABLES: readonly CitusTable[] = Object.entries(PLACEMENTS).flatMap(([table, placement]) =>
  placement === 'coordinator' ? [] : [{ table, by: placement.by }],
);

/** The tables with rows on the nodes. */
export const DISTRIBUTED_TABLES = CITUS_TABLES.filter(({ by }) => by !== null);

/** The table beside which all others by app are placed. */
export const FIRST_BY_APP = DISTRIBUTED_TABLES.find(({ by }) => by === BY_APP.by)?.table ?? '';

/** The tables with rows of an app that may be on another node than the app's, or on the coordinator. */
export const NOT_BY_APP: readonly string[] = Object.entries(PLACEMENTS).flatMap(([table, placement]) =>
  placement === BY_APP ? [] : [table],
);
