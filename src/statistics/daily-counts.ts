/**
 * The daily counts: how many clicks, installs, opens and events there were, by what the statistics ask for. They are
 * written in the transaction of the records they count, so both are there or neither is, and they stay when records go.
 * A record counts on the day in UTC on which this service recorded it, so the counts of a day that is over stand.
 */
import { dayOf } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { ClicksTable, DailyCountsTable, OutcomeColumns, RowCounts } from '../platform/db/index.ts';

/** Stands for the link of what no link led to. No link has it: theirs are UUIDv7. */
export const NO_LINK = '00000000-0000-0000-0000-000000000000';

/** Not clicks, which are counted as the journal is applied. */
export type CountedKind = 'install' | 'open' | 'event';

/** What a record is counted by: an install's or an open's own columns, for an event those of its install. */
export interface CountedRecord
  extends Pick<OutcomeColumns, 'attribution_method' | 'link_id' | 'campaign_id'>,
    Pick<DailyCountsTable, 'app_id' | 'platform' | 'sandbox'> {
  /** When it was recorded, ISO 8601. */
  readonly recordedAt: string;
}

/** The columns of a count but for how many, in the order of the primary key. */
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

/**
 * What records add to the counts: one row for each key, in the order of the keys, so that transactions that add to the
 * same counts wait for each other in turn, never both.
 */
export function toCounts(
  { store }: Ctx,
  kind: CountedKind,
  records: readonly CountedRecord[],
): DailyCountsTable[] {
  const stripe = store.nextCountStripe();
  const counts = new Map<string, DailyCountsTable>();
  for (const record of records) {
    const count = { ...toCount(kind, record), stripe };
    const key = JSON.stringify(COUNT_KEY.map((column) => count[column]));
    const known = counts.get(key);
    if (known === undefined) counts.set(key, count);
    else known.n += 1;
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

/** How clicks are counted as they are inserted. A process applies its journal by one transaction at a time: one stripe does. */
export function clickCounts({ store }: Ctx): RowCounts {
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
    stripe: { is: store.nextCountStripe() },
  } as const satisfies Record<(typeof COUNT_KEY)[number], unknown>;
  return { table: 'daily_counts', key, sum: 'n' };
}
