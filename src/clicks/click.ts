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

/** Where a column stands in a row of the journal. */
export function indexOfColumn(column: (typeof NEW_CLICK_COLUMNS)[number]): number {
  return NEW_CLICK_COLUMNS.indexOf(column);
}

type ValuesOf<Columns extends readonly (keyof NewClick)[]> = {
  readonly [Index in keyof Columns]: NewClick[Columns[Index]];
};

/** A click as it stands in the journal: its values in the order of `NEW_CLICK_COLUMNS`. */
export function toJournalRow(click: NewClick): string {
  // By name, since reading a property by a name that changes takes several times as long.
  const values: ValuesOf<typeof NEW_CLICK_COLUMNS> = [
    click.app_id,
    click.id,
    click.link_id,
    click.campaign_id,
    click.sandbox,
    click.visitor,
    click.platform,
    click.ip_hash,
    click.user_agent,
    click.accept_language,
    click.clicked_at,
    click.visitor_reason,
    click.device_model,
    click.fingerprint,
  ];
  return toRowText(values);
}
