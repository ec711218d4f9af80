/**
 * Daily counts of clicks, installs, opens and events, by the dimensions of the statistics. Written in the transaction of
 * the counted records and kept when records are deleted. A record counts on the UTC day on which the service stored it, so
 * that the counts of past days are final.
 */

import {
  type ClicksTable,
  type DailyCountsTable,
  type Db,
  type InstallsTable,
  nextCountStripe,
  type RowCounts,
} from '../db/index.ts';
import { dayOf } from '../lib/clock.ts';

/** The `link_id` of records without a link; links have UUIDv7. */
export const NO_LINK = '00000000-0000-0000-0000-000000000000';

/** Without clicks, which are counted when the journal is applied. */
export type CountedKind = 'install' | 'open' | 'event';

/** The counted columns of an install or open; for an event those of its install. */
export interface CountedRecord
  extends Pick<InstallsTable, 'attribution_method' | 'link_id' | 'campaign_id'>,
    Pick<DailyCountsTable, 'app_id' | 'platform' | 'sandbox'> {
  /** ISO 8601. */
  readonly recordedAt: string;
}

/** The primary key, in its order. */
export const COUNT_KEY = [
  'app_id',
  'link_id',
  'day',
  'kind',
  'campaign_id',
  'platform',
  'method',
  'visitor',
  'sandbox',
  'stripe',
] as const satisfies readonly (keyof DailyCountsTable)[];

/** Counts records by key, sorted, so that concurrent transactions lock the same rows in the same order. */
export function toCounts(db: Db, kind: CountedKind, records: readonly CountedRecord[]): DailyCountsTable[] {
  const stripe = nextCountStripe(db);
  const counts = new Map<string, DailyCountsTable>();
  for (const record of records) {
    const count = { ...toCount(kind, record), stripe };
    const key = JSON.stringify(COUNT_KEY.map((column) => count[column]));
    const existing = counts.get(key);
    if (existing === undefined) counts.set(key, count);
    else existing.n += 1;
  }
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, count]) => count);
}

function toCount(kind: CountedKind, record: CountedRecord): Omit<DailyCountsTable, 'stripe'> {
  return {
    app_id: record.app_id,
    link_id: record.link_id ?? NO_LINK,
    day: dayOf(record.recordedAt),
    kind,
    campaign_id: record.campaign_id ?? '',
    platform: record.platform,
    method: record.attribution_method,
    visitor: '',
    sandbox: record.sandbox,
    n: 1,
  };
}

/** How to count inserted clicks, in one stripe, since a process applies its journal by one transaction at a time. */
export function clickCounts(db: Db): RowCounts {
  const by = (column: keyof ClicksTable) => ({ column });
  const key = {
    app_id: by('app_id'),
    link_id: by('link_id'),
    day: { dayOf: 'clicked_at' },
    kind: { is: 'click' },
    campaign_id: { ...by('campaign_id'), orEmpty: true },
    platform: { ...by('platform'), orEmpty: true },
    method: { is: '' },
    visitor: by('visitor'),
    sandbox: by('sandbox'),
    stripe: { is: nextCountStripe(db) },
  } as const satisfies Record<(typeof COUNT_KEY)[number], unknown>;
  return { table: 'daily_counts', key, sum: 'n' };
}
