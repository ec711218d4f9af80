/** Rows of erasures. */
import type { Flag } from './flag.ts';

/** One request to erase a person, and how far it has come: times are null until then. */
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
