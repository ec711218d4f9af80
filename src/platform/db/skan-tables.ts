/** Rows of iOS ad-network postbacks, and of what an app calls their conversion values. */
import type { Flag } from './flag.ts';

/** One postback, or copy: of those that are verified, copies are counted and not stored. */
export interface PostbacksTable {
  /** No app's id where no app has the postback's App Store id: see `NO_APP`. */
  app_id: string;
  id: string;
  sandbox: Flag;
  /** skadnetwork or adattributionkit. */
  kind: string;
  /** device or network. */
  sent_by: string;
  /** verified, invalid or unverifiable. */
  verdict: string;
  /** Why it is not verified; null where it is. */
  reason: string | null;
  /** The JSON text as it came, without IP addresses; at most 1 KB of an unproven one. */
  body: string;
  /** How many of its fields `body` lacks because it was too long. */
  fields_left_out: number;
  received_at: string;
  /** Of `received_at`, in UTC, such as 2026-11-21. */
  day: string;
  /** How often it came, once it was verified. */
  times_received: number;

  // What Apple signs; null where it was not sent, or is not of its type.
  version: string | null;
  ad_network_id: string | null;
  app_store_id: number | null;
  /** The transaction-id, or AdAttributionKit's postback-identifier. */
  transaction_id: string | null;
  sequence_index: number;
  source_identifier: string | null;
  campaign_id: number | null;
  did_win: Flag | null;
  /** download, redownload or re-engagement. */
  conversion_type: string | null;

  // What Apple does not sign.
  /** 0 to 63. */
  conversion_value: number | null;
  /** low, medium or high. */
  coarse_conversion_value: string | null;
  country_code: string | null;
}

/** What an app calls its conversion values, if it has set any. */
export interface ConversionValuesTable {
  app_id: string;
  /** JSON array: the names of each conversion window's values. */
  windows: string;
  updated_at: string;
}
