import type { ClicksTable } from '../platform/db/index.ts';

/** A click as it is recorded; claims come later. */
export type NewClick = Omit<ClicksTable, 'claimed_by_install' | 'claimed_by_open'>;

/** A click as it is read back. */
export type ClickRow = NewClick & { claimed_by_install: string | null; claimed_by_open: string | null };

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
  'device_model',
  'fingerprint',
  'clicked_at',
] as const satisfies readonly (keyof NewClick)[];
