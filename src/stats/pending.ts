/**
 * What a record adds to counts. The transaction of the record appends it to `pending_counts`, without locking a row that
 * others share; `fold-pending.ts` adds it to the cells. Counts stay when records are deleted by age or erased.
 */
import type { ClicksTable, CountedBy, Db, EventsTable, Flag, InstallsTable, RowCounts } from '../db/index.ts';
import { dayOf } from '../lib/clock.ts';
import { type Claimed, campaignNameOf, countedClaimOf } from './claimed.ts';
import { isPositive, type Revenue } from './revenue.ts';
import { appVersionOf, platformVersionOf } from './versions.ts';

/**
 * `existing` is the install of a person who had the app before; `credited` counts an event again, for the link that it is
 * credited to; `active` an install on a day of use. At the time of an install, `cohort` counts the revenue of its events and
 * `paying` that it has paid; `firstPurchase` counts that at the time of the purchase.
 */
type Kind =
  | 'click'
  | 'install'
  | 'existing'
  | 'open'
  | 'event'
  | 'credited'
  | 'active'
  | 'cohort'
  | 'paying'
  | 'firstPurchase';

/** What `n` alike records add. Texts are empty where a record has no value. */
export interface Pending {
  readonly sandbox: Flag;
  /** In UTC, such as 2026-01-31T23:59. */
  readonly minute: string;
  readonly kind: Kind;
  readonly link_id: string | null;
  readonly campaign_id: string;
  readonly platform: string;
  readonly method: string;
  readonly visitor: string;
  readonly country: string;
  readonly referrer: string;
  /** JSON. */
  readonly utm: string;
  readonly event_name: string;
  readonly currency: string;
  readonly amount: string;
  /** Of kind `active`: the day of the install. */
  readonly cohort_day: string;
  readonly n: number;
  /** Such as `IOS 18`; of an install or open, and an event's install. */
  readonly platform_version: string;
  readonly app_version: string;
  /** That claims the install, or an event's install. */
  readonly network: string;
  readonly network_campaign: string;
  /** Of an install, where the network tells it. */
  readonly network_campaign_name: string;
}

export interface PendingCount extends Pending {
  readonly app_id: string;
}

/** An open, or what an install and an event's install have in common with it. */
export interface CountedRecord
  extends Pick<
    InstallsTable,
    | 'app_id'
    | 'attribution_method'
    | 'link_id'
    | 'campaign_id'
    | 'country'
    | 'referrer'
    | 'utm'
    | 'os_version'
    | 'fingerprint'
  > {
  readonly platform: string;
  readonly sandbox: Flag;
  /** ISO 8601. */
  readonly recordedAt: string;
}

/** The install of an event. */
interface InstallOfEvent extends Omit<CountedRecord, 'recordedAt'>, Claimed {
  readonly installed_at: string;
  readonly existing_user: Flag | null;
}

export interface CountedEvent extends CountedRecord, InstallOfEvent {
  readonly eventName: string;
  readonly revenue: Revenue | null;
  /** Of the install's latest open by a link. */
  readonly lastLinkId: string | null;
  readonly lastCampaignId: string | null;
}

interface CountedInstall extends CountedRecord, Claimed {
  readonly existing_user: Flag | null;
}

/** @param n -1 for deleted records. */
export function installCounts(installs: readonly CountedInstall[], n: 1 | -1 = 1): PendingCount[] {
  return grouped(
    installs.flatMap((install) => {
      if (install.existing_user === 1) return toCount('existing', install, n);
      const count = { ...toCount('install', install, n), network_campaign_name: campaignNameOf(install) };
      return [count, { ...count, kind: 'active' as const, cohort_day: dayOf(install.recordedAt) }];
    }),
  );
}

/** @param n -1 for deleted records. */
export function openCounts(opens: readonly CountedRecord[], n: 1 | -1 = 1): PendingCount[] {
  return grouped(opens.map((open) => toCount('open', open, n)));
}

/** @param n -1 for deleted records. */
export function eventCounts(events: readonly CountedEvent[], n: 1 | -1 = 1): PendingCount[] {
  return grouped(
    events.flatMap((event) => {
      const count = {
        ...toCount('event', event, n),
        event_name: event.eventName,
        currency: event.revenue?.currency ?? '',
        amount: event.revenue?.amount ?? '',
      };
      const last = { link_id: event.lastLinkId, campaign_id: event.lastCampaignId ?? '' };
      return [count, { ...count, kind: 'credited' as const, ...last }, ...cohortCounts(event, count)];
    }),
  );
}

/** Existing users are not among the installs whose revenue is counted. @param count of the event. */
function cohortCounts(event: CountedEvent, count: PendingCount): PendingCount[] {
  if (event.revenue === null || event.existing_user === 1) return [];
  return [{ ...count, kind: 'cohort', minute: minuteOf(event.installed_at), event_name: '' }];
}

/** An install's first event of positive revenue, as `installs.first_purchase` has it. */
export interface FirstPurchase {
  /** ISO 8601. */
  readonly at: string;
  readonly eventName: string;
}

/** @returns the first purchase of an install among new events in order; null if it has none or paid before. */
export function firstPurchaseOf(
  install: Pick<InstallsTable, 'first_purchase' | 'existing_user'>,
  events: readonly Pick<EventsTable, 'created_at' | 'event_name' | 'revenue_amount'>[],
): FirstPurchase | null {
  if (install.first_purchase !== null || install.existing_user === 1) return null;
  const first = events.find(({ revenue_amount }) => revenue_amount !== null && isPositive(revenue_amount));
  return first === undefined ? null : { at: first.created_at, eventName: first.event_name };
}

/** @param n -1 for deleted installs. */
export function purchaseCounts(
  install: InstallOfEvent,
  { at, eventName }: FirstPurchase,
  n: 1 | -1 = 1,
): PendingCount[] {
  const first = toCount('firstPurchase', { ...install, recordedAt: at }, n);
  return [
    toCount('paying', { ...install, recordedAt: install.installed_at }, n),
    { ...first, event_name: eventName },
  ];
}

/** An install that was active on a day. @param cohortDay the day of the install. */
export function activityCount(install: CountedRecord, cohortDay: string, n: 1 | -1 = 1): PendingCount {
  return { ...toCount('active', install, n), cohort_day: cohortDay };
}

/** For `store.commit`. @param counts at least one, of one app. */
export function insertCounts(db: Db, counts: readonly PendingCount[]) {
  const rows = counts.slice(0, 1).map(({ app_id }) => ({ app_id, facts: encode(counts) }));
  return db.insertInto('pending_counts').values(rows).returning('id');
}

const by = (column: keyof ClicksTable): CountedBy => ({ column });
const orEmpty = (column: keyof ClicksTable): CountedBy => ({ column, orEmpty: true });
const empty = { is: '' };

/** In the order in which the column `facts` has values, before `n`; with what a click has. */
const FIELDS: Readonly<Record<Exclude<keyof Pending, 'n' | LastName>, CountedBy>> = {
  sandbox: by('sandbox'),
  minute: { minuteOf: 'clicked_at' },
  kind: { is: 'click' satisfies Kind },
  link_id: by('link_id'),
  campaign_id: orEmpty('campaign_id'),
  platform: orEmpty('platform'),
  method: empty,
  visitor: by('visitor'),
  country: orEmpty('country'),
  referrer: orEmpty('referrer'),
  utm: orEmpty('utm'),
  event_name: empty,
  currency: empty,
  amount: empty,
  cohort_day: empty,
};
const NAMES = Object.keys(FIELDS) as readonly (keyof typeof FIELDS)[];
/** After `n`, without empty ones at the end; clicks, and counts of a version without these fields, leave them out. */
const LAST_NAMES = [
  ...(['platform_version', 'app_version'] as const),
  ...(['network', 'network_campaign', 'network_campaign_name'] as const),
] as const satisfies readonly (keyof Pending)[];
type LastName = (typeof LAST_NAMES)[number];

/** For a click that turns out to be another campaign's. */
export function movedClickCounts(click: ClicksTable, campaignId: string | null): PendingCount[] {
  const { platform, fingerprint: _, ...counted } = click;
  const from: PendingCount = {
    ...toCount(
      'click',
      {
        ...{ ...counted, fingerprint: null, os_version: null, attribution_method: '' },
        ...{ platform: platform ?? '', recordedAt: click.clicked_at },
      },
      -1,
    ),
    visitor: click.visitor,
  };
  return [from, { ...from, campaign_id: campaignId ?? '', n: 1 }];
}

/** How to count inserted clicks. */
export function clickCounts(): RowCounts {
  return { table: 'pending_counts', by: 'app_id', list: 'facts', key: Object.values(FIELDS) };
}

function encode(counts: readonly Pending[]): string {
  return JSON.stringify(
    counts.map((count) => {
      const last = LAST_NAMES.map((name) => count[name]);
      const used = last.findLastIndex((text) => text !== '') + 1;
      return [...NAMES.map((name) => count[name]), count.n, ...last.slice(0, used)];
    }),
  );
}

export function decodePending(text: string): Pending[] {
  return (JSON.parse(text) as string[][]).map((values) => {
    const fields = Object.fromEntries(NAMES.map((name, index) => [name, values[index]]));
    const last = LAST_NAMES.map((name, index) => [name, values[NAMES.length + 1 + index] ?? '']);
    return {
      ...{ ...fields, ...Object.fromEntries(last) },
      ...{ sandbox: Number(values[0]), n: Number(values[NAMES.length]) },
    } as Pending;
  });
}

function toCount(kind: Kind, record: CountedRecord & Partial<Claimed>, n: number): PendingCount {
  const { network, network_campaign } = countedClaimOf(record);
  return {
    app_id: record.app_id,
    sandbox: record.sandbox,
    minute: minuteOf(record.recordedAt),
    kind,
    link_id: record.link_id,
    campaign_id: record.campaign_id ?? '',
    platform: record.platform,
    method: record.attribution_method,
    visitor: '',
    country: record.country ?? '',
    referrer: record.referrer ?? '',
    utm: record.utm ?? '',
    event_name: '',
    currency: '',
    amount: '',
    cohort_day: '',
    n,
    platform_version: platformVersionOf(record),
    app_version: appVersionOf(record),
    ...{ network, network_campaign },
    network_campaign_name: '',
  };
}

function minuteOf(time: string): string {
  return time.slice(0, 'YYYY-MM-DDTHH:MM'.length);
}

/** One count for equal ones. */
function grouped(counts: readonly PendingCount[]): PendingCount[] {
  const groups = new Map<string, PendingCount>();
  for (const count of counts) {
    const key = JSON.stringify({ ...count, n: 0 });
    groups.set(key, { ...count, n: count.n + (groups.get(key)?.n ?? 0) });
  }
  return [...groups.values()];
}
