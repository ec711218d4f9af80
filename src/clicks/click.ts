import type { Selectable } from 'kysely';
import type { ClicksTable } from '../platform/db/index.ts';

/** A click as it is recorded; what a page may tell of the device, and claims, come later. */
export type NewClick = Omit<
  ClicksTable,
  'device_model' | 'fingerprint' | 'claimed_by_install' | 'claimed_by_open'
>;

/** A click as it is read back. */
export type ClickRow = Selectable<ClicksTable>;

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
] as const satisfies readonly (keyof NewClick)[];
