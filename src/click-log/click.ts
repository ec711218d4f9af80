import type { Selectable } from 'kysely';
import { type ClicksTable, toRowText } from '../db/index.ts';

/** A click as it is recorded; device signals and claims are added later. */
export type NewClick = Omit<ClicksTable, 'signals_at' | 'claimed_by_install' | 'claimed_by_open'>;

export type ClickRow = Selectable<ClicksTable>;

/** Append only: the journal of an older version may contain shorter rows, whose missing columns are null. */
export const NEW_CLICK_COLUMNS = [
  'app_id',
  'id',
  'link_id',
  'campaign_id',
  'sandbox',
  'visitor',
  'platform',
  'ip_hash',
  'user_agent',
  'accept_language',
  'clicked_at',
  'visitor_reason',
  'device_model',
  'fingerprint',
  'country',
  'referrer',
  'utm',
  'query',
  'erased',
  'erased_at',
  'rule_id',
  'path_rest',
] as const satisfies readonly (keyof NewClick)[];

/** The column's index in a row of the journal. */
export function indexOfColumn(column: (typeof NEW_CLICK_COLUMNS)[number]): number {
  return NEW_CLICK_COLUMNS.indexOf(column);
}

/** The click's values in the order of `NEW_CLICK_COLUMNS`. */
export function toJournalRow(click: NewClick): string {
  return toRowText(NEW_CLICK_COLUMNS.map((column) => click[column]));
}

/** Rows in the form of a batch of the journal. */
export function toBatch(rows: readonly (readonly (string | number | null)[])[]): Buffer {
  return Buffer.from(rows.map((row) => `${toRowText(row)}\n`).join(''));
}
