/**
 * What a record adds to the numbers. The transaction of the record appends it to `pending_counts`, without locking a row
 * that others share; `fold-pending.ts` adds it to the roll-ups. Numbers stay when records are deleted by age or erased.
 */
import type { Insertable } from 'kysely';
import type { ClicksTable, Db, Flag, InstallsTable, PendingCountsTable, RowCounts } from '../db/index.ts';
import type { Revenue } from './revenue.ts';

export type PendingCount = Insertable<PendingCountsTable>;

/** `credited` counts an event again, for the link that it is credited to; `active` an install on a day of use. */
type FactKind = 'click' | 'install' | 'open' | 'event' | 'credited' | 'active';

/** An install or open, or the install of an event. */
export interface CountedRecord
  extends Pick<
    InstallsTable,
    'app_id' | 'attribution_method' | 'link_id' | 'campaign_id' | 'country' | 'referrer' | 'utm'
  > {
  readonly platform: string;
  readonly sandbox: Flag;
  /** ISO 8601. */
  readonly recordedAt: string;
}

export interface CountedEvent extends CountedRecord {
  readonly eventName: string;
  readonly revenue: Revenue | null;
  /** Of the install's latest open by a link. */
  readonly lastLinkId: string | null;
  readonly lastCampaignId: string | null;
}

/** @param n -1 for deleted records. */
export function installFacts(installs: readonly CountedRecord[], n: 1 | -1 = 1): PendingCount[] {
  return grouped(
    installs.flatMap((install) => {
      const fact = toFact('install', install, n);
      return [fact, { ...fact, kind: 'active', cohort_day: dayIn(install.recordedAt) }];
    }),
  );
}

/** @param n -1 for deleted records. */
export function openFacts(opens: readonly CountedRecord[], n: 1 | -1 = 1): PendingCount[] {
  return grouped(opens.map((open) => toFact('open', open, n)));
}

/** @param n -1 for deleted records. */
export function eventFacts(events: readonly CountedEvent[], n: 1 | -1 = 1): PendingCount[] {
  return grouped(
    events.flatMap((event) => {
      const fact = {
        ...toFact('event', event, n),
        event_name: event.eventName,
        currency: event.revenue?.currency ?? '',
        amount: event.revenue?.amount ?? '',
      };
      const last = { link_id: event.lastLinkId, campaign_id: event.lastCampaignId ?? '' };
      return [fact, { ...fact, kind: 'credited', ...last }];
    }),
  );
}

/** An install that was active on a day. @param cohortDay the day of the install. */
export function activityFact(install: CountedRecord, cohortDay: string, n: 1 | -1 = 1): PendingCount {
  return { ...toFact('active', install, n), cohort_day: cohortDay };
}

/** For `store.commit`. @param facts at least one. */
export function insertFacts(db: Db, facts: readonly PendingCount[]) {
  return db.insertInto('pending_counts').values(facts).returning('n');
}

function toFact(kind: FactKind, record: CountedRecord, n: number) {
  return {
    app_id: record.app_id,
    sandbox: record.sandbox,
    minute: record.recordedAt.slice(0, MINUTE_CHARACTERS),
    kind,
    link_id: record.link_id,
    campaign_id: record.campaign_id ?? '',
    platform: record.platform,
    method: record.attribution_method,
    country: record.country ?? '',
    referrer: record.referrer ?? '',
    utm: record.utm ?? '',
    event_name: '',
    currency: '',
    amount: '',
    cohort_day: '',
    n,
  };
}

const MINUTE_CHARACTERS = 'YYYY-MM-DDTHH:MM'.length;

function dayIn(time: string): string {
  return time.slice(0, 'YYYY-MM-DD'.length);
}

/** One fact for equal ones. */
function grouped(facts: readonly ReturnType<typeof toFact>[]): PendingCount[] {
  const groups = new Map<string, PendingCount & { n: number }>();
  for (const fact of facts) {
    const key = JSON.stringify({ ...fact, n: 0 });
    const existing = groups.get(key);
    if (existing === undefined) groups.set(key, fact);
    else groups.set(key, { ...existing, n: existing.n + fact.n });
  }
  return [...groups.values()];
}

/** How to count inserted clicks. */
export function clickFacts(): RowCounts {
  const by = (column: keyof ClicksTable) => ({ column });
  const key = {
    app_id: by('app_id'),
    sandbox: by('sandbox'),
    minute: { minuteOf: 'clicked_at' },
    kind: { is: 'click' satisfies FactKind },
    link_id: by('link_id'),
    campaign_id: { ...by('campaign_id'), orEmpty: true },
    platform: { ...by('platform'), orEmpty: true },
    visitor: by('visitor'),
    country: { ...by('country'), orEmpty: true },
    referrer: { ...by('referrer'), orEmpty: true },
    utm: { ...by('utm'), orEmpty: true },
  } as const;
  return { table: 'pending_counts', key, sum: 'n' };
}
