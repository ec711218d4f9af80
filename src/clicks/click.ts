import type { Selectable } from 'kysely';
import { type ClicksTable, toRowText } from '../platform/db/index.ts';

/** A click as it is recorded; a page's signals, and claims, come later. */
export type NewClick = Omit<ClicksTable, 'signals_at' | 'claimed_by_install' | 'claimed_by_open'>;

/** A click as it is read back. */
export type ClickRow = Selectable<ClicksTable>;

/** New ones go to the end: a journal that an older version left is applied by a newer one, and what it lacks is null. */
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
] as const satisfies readonly (keyof NewClick)[];

/** A click as it stands in the journal: its values in the order of `NEW_CLICK_COLUMNS`. */
export function toJournalRow(click: NewClick): string {
  return toRowText(NEW_CLICK_COLUMNS.map((column) => click[column]));
}
