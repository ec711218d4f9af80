/** Rows that count records by day. */
import type { Flag } from './flag.ts';
import type { VisitorKind } from './tables.ts';

/** What happened, counted by day when it is recorded; it outlives the records. Empty text stands for what is null there. */
export interface DailyCountsTable {
  app_id: string;
  /** No link's id where it was none: see `NO_LINK`. */
  link_id: string;
  /** In UTC, such as 2026-11-21. */
  day: string;
  kind: 'click' | 'install' | 'open' | 'event';
  campaign_id: string;
  platform: string;
  /** How an install or open found its click, of an event its install; empty for clicks. */
  method: string;
  /** Of clicks; empty for others. */
  visitor: VisitorKind | '';
  sandbox: Flag;
  /** One count may stand in several rows, which are added up: see `Store.nextCountStripe`. */
  stripe: number;
  n: number;
}

/** Records and bytes of a UTC day that daily bounds apply to; deletions do not lower them. */
export interface DailyUsageTable {
  app_id: string;
  /** In UTC, such as 2026-11-21. */
  day: string;
  /** `event`: of the app; by publishable keys `install_event` and `address_event`: of an install and of an address, `address_install`: installs and opens of an address. */
  kind: 'event' | 'install_event' | 'address_event' | 'address_install';
  /** The app, the install, or a keyed hash of the address in the form of a UUID. */
  subject: string;
  records: number;
  bytes: number;
}
