/** Words that the parts of an import share. */

import type { CreateLinkInput } from '../schemas.ts';

/** What became of a link of the file. */
const OUTCOMES = ['created', 'unchanged', 'conflict', 'failed'] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const IMPORT_STATUSES = ['running', 'completed', 'failed'] as const;

/** A row of the report. */
export interface ReportRow {
  readonly line: number;
  readonly outcome: Outcome;
  /** As in the file, without a scheme; empty where the row does not say. */
  readonly oldAddress: string;
  /** Null for a row without a link. */
  readonly shortUrl: string | null;
  readonly reason: string | null;
  readonly notes: readonly string[];
  /** Of a failed row, in the source's own columns. */
  readonly raw?: Readonly<Record<string, string>>;
}

interface LeadingHome {
  readonly input: CreateLinkInput;
  /** Its row. */
  readonly raw: Readonly<Record<string, string>>;
}

/** A link of the file that is stored unless another link, or a circle of links, is in its way. */
export interface Candidate extends Pick<ReportRow, 'line' | 'oldAddress' | 'notes'> {
  /** Its path, or in an app without a host of its own its short code. */
  readonly key: string;
  /** Those of `VALUE_COLUMNS`, as the database takes them. */
  readonly values: string;
  /** What searches compare of it, but for a generated code. */
  readonly words: string;
  /** Keys of its tags. */
  readonly tags: readonly string[];
  readonly rules: readonly { readonly id: string; readonly rule: string }[];
  /** If it leads to a host of the service: it may lead back to itself. */
  readonly leadsHome: LeadingHome | null;
}

/** A row that needs no look at stored links. */
export interface SettledRow extends Omit<ReportRow, 'shortUrl'> {
  /** Null for a row without a link. */
  readonly key: string | null;
}

export type JudgedRow = Candidate | SettledRow;

export function isSettled(row: JudgedRow): row is SettledRow {
  return 'outcome' in row;
}

/** Columns of `links` that an import sets. */
export const VALUE_COLUMNS = [
  'deep_link_path',
  'deep_link_params',
  'metadata',
  'sandbox',
  'tags',
  'rules',
  'pass_path',
  'gone_when_expired',
  'path',
  'fallback_url',
  'title',
  'imported_clicks',
  'campaign_id',
  'ios_destination',
  'android_destination',
  'og_title',
  'og_description',
  'og_image',
  'expires_at',
  'pass_query',
  'expired_url',
  'min_app_version',
  'landing_page',
] as const;
export type ValueColumn = (typeof VALUE_COLUMNS)[number];

/** Of links whose import does not set the column. */
export const UNSET: Partial<Record<ValueColumn, string | number>> = {
  deep_link_params: '{}',
  metadata: '{}',
  tags: '[]',
  rules: '[]',
  pass_path: 0,
  gone_when_expired: 0,
};

/** Progress is in thousandths; an import that stores links judges in the first half. */
export const WHOLE = 1_000;
export const HALF = 500;

/** Links of a file. */
export const MAX_IMPORT_ROWS = 1_000_000;
export const MAX_IMPORT_BYTES = 50 * 1024 * 1024;
