import type { Tables } from '../tables.ts';

/** Where a table's rows are once the database is distributed: spread over the nodes by a column, or on the coordinator. */
type Placement = { readonly by: 'app_id' | 'code' | null } | 'coordinator';

/**
 * On the coordinator, but known to Citus, which then commits a transaction that writes there and on a node in two phases:
 * left to itself, it commits on the node first, and a coordinator that crashes before its own commit keeps nothing.
 */
const IN_TWO_PHASES = { by: null } as const;

/** Such tables lie together: an app's rows of all of them are on one node. */
const BY_APP = { by: 'app_id' } as const;

/**
 * On the coordinator is what is small and asked for without an app (apps, keys, webhooks, addresses that are erased),
 * what waits to be delivered, which processes take from each other row by row, and the server's own. The rest grows with
 * the traffic.
 */
const PLACEMENTS: Readonly<Record<keyof Tables, Placement>> = {
  apps: 'coordinator',
  api_keys: 'coordinator',
  api_key_hashes: 'coordinator',
  bootstraps: 'coordinator',
  moves: 'coordinator',
  webhooks: 'coordinator',
  webhook_deliveries_due: IN_TWO_PHASES,
  webhook_attempts_under_way: 'coordinator',
  erased_addresses: 'coordinator',
  journals: 'coordinator',
  leases: 'coordinator',
  retention_clock: 'coordinator',
  // A code says nothing about its app.
  short_codes: { by: 'code' },
  links: BY_APP,
  clicks: BY_APP,
  installs: BY_APP,
  opens: BY_APP,
  events: BY_APP,
  event_ids: BY_APP,
  daily_counts: BY_APP,
  daily_usage: BY_APP,
  webhook_messages: BY_APP,
  webhook_attempts: BY_APP,
  postbacks: BY_APP,
  conversion_values: BY_APP,
  audit_log: BY_APP,
  erasure_requests: BY_APP,
  erasure_ways: BY_APP,
  idempotency_keys: BY_APP,
};

/** All that hold data of ours. */
export const TABLES: readonly string[] = Object.keys(PLACEMENTS);

/** A table that Citus knows, and the column it is spread over the nodes by; null where it stays on the coordinator. */
export interface CitusTable {
  readonly table: string;
  readonly by: string | null;
}

/** All but those that are left to the coordinator alone. */
export const CITUS_TABLES: readonly CitusTable[] = Object.entries(PLACEMENTS).flatMap(([table, placement]) =>
  placement === 'coordinator' ? [] : [{ table, by: placement.by }],
);

/** Of these, the ones whose rows are on the nodes. */
export const SPREAD_TABLES = CITUS_TABLES.filter(({ by }) => by !== null);
