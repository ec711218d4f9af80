/** Rows of erasures, and what processes tell each other about them. */
import type { Flag } from './flag.ts';

export interface ErasureRequestsTable {
  app_id: string;
  id: string;
  /** Whether it reaches sandbox records only. */
  sandbox: Flag;
  /** Whose data it is about, until it is scrubbed. */
  ip_hash: string | null;
  user_id: string | null;
  requested_at: string;
  /** Every way to the person's records is in `erasure_ways`. */
  ways_found_at: string | null;
  /** No row holds the person's data any more, this request and its ways included. */
  scrubbed_at: string | null;
  completed_at: string | null;
  /** JSON: scrubbed records by their kind. */
  counts: string;
}

/** What leads to a person's records; kept until these are scrubbed, since scrubbing one way hides the next. */
export interface ErasureWaysTable {
  app_id: string;
  request_id: string;
  kind: string;
  value: string;
}

/** Tombstones: a click from there that was made before is not stored with the person's data any more. */
export interface ErasedAddressesTable {
  app_id: string;
  /** Keyed hash of an address hash, which nothing else has. */
  address_mark: string;
  sandbox_only: Flag;
  erased_until: string;
}

/** Server's own: the click journals of the processes that share the database. */
export interface JournalsTable {
  id: string;
  seen_at: string;
  /** Somebody needs every click of before in the database, and out of the journal's files. */
  flush_wanted_at: string | null;
  flushed_at: string | null;
}

/** Server's own: what one process at a time may do. */
export interface LeasesTable {
  name: string;
  holder: string;
  held_until: string;
}
