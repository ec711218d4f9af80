import type { Static } from 'typebox';
import type { Database } from '../db/index.ts';
import type { RecordTable } from './queries.ts';
import {
  type ClickItem,
  type EventItem,
  type InstallItem,
  type Names,
  type OpenItem,
  presentClick,
  presentEvent,
  presentInstall,
  presentOpen,
} from './schemas.ts';

export interface RecordItem {
  readonly id: string;
}

export interface RecordKind<T extends RecordTable = RecordTable, Item extends RecordItem = RecordItem> {
  readonly table: T;
  /** The links that its presentation names. */
  linkIds(row: Database[T]): readonly (string | null)[];
  /** The rule of its link that its presentation names. */
  ruleId?(row: Database[T]): string | null;
  present(row: Database[T], names: Names): Item;
}

export const CLICKS: RecordKind<'clicks', Static<typeof ClickItem>> = {
  table: 'clicks',
  linkIds: (row) => [row.link_id],
  ruleId: (row) => row.rule_id,
  present: presentClick,
};
export const INSTALLS: RecordKind<'installs', Static<typeof InstallItem>> = {
  table: 'installs',
  linkIds: (row) => [row.link_id],
  present: presentInstall,
};
export const OPENS: RecordKind<'opens', Static<typeof OpenItem>> = {
  table: 'opens',
  linkIds: (row) => [row.link_id],
  present: presentOpen,
};
export const EVENTS: RecordKind<'events', Static<typeof EventItem>> = {
  table: 'events',
  linkIds: (row) => [row.link_id, row.last_link_id],
  present: presentEvent,
};

/** The `type` of an item where several kinds are mixed. */
export type RecordType = 'click' | 'install' | 'open' | 'event';
export const KIND_OF_TYPE: Readonly<Record<RecordType, RecordKind>> = {
  click: CLICKS,
  install: INSTALLS,
  open: OPENS,
  event: EVENTS,
};
