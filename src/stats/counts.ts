/**
 * Every count, declared once: what adds to it, its column and its metric. Cells, statements, statistics, their schema and
 * `sort` derive from here. A new count is an entry and a migration with its column; a metric that follows from others is an
 * entry alone.
 */
import type { CountDaysTable } from '../db/index.ts';
import type { Pending } from './pending.ts';

export interface StoredCount {
  /** In cells, where money has places of its own. A new count takes the next place, and no place changes. */
  readonly place: number;
  readonly column: keyof CountDaysTable;
  /** Whether a record adds to it: its number, or to money its amount. */
  readonly adds: (count: Pending) => boolean;
  readonly isMoney?: boolean;
  /** The count that `credit=last` reads in place of this one. */
  readonly last?: string;
}

interface Metric {
  /** Null for a count that is no metric. */
  readonly description?: string | null;
}

/** A metric that is one count less another. */
export interface Difference {
  readonly minuend: string;
  readonly subtrahend: string;
}

/** A metric of costs, which are no records and have no cells: their sum, or what it gives together with counts. */
interface OfCosts {
  readonly ofCosts: true;
}

/** Metrics are answered in this order. */
export const COUNTS = {
  clicks: {
    place: 0,
    column: 'clicks',
    adds: ({ kind, visitor }) => kind === 'click' && visitor === 'human',
    description: 'By humans',
  },
  otherClicks: {
    place: 1,
    column: 'other_clicks',
    adds: ({ kind, visitor }) => kind === 'click' && visitor !== 'human',
    description: 'By tools, crawlers, previews and the like',
  },
  toolClicks: {
    place: 8,
    column: 'tool_clicks',
    adds: ({ kind, visitor }) => kind === 'click' && visitor === 'tool',
    description: null,
  },
  installs: { place: 2, column: 'installs', adds: ({ kind }) => kind === 'install' },
  attributedInstalls: {
    place: 3,
    column: 'attributed_installs',
    adds: ({ kind, method }) => kind === 'install' && method !== 'ORGANIC',
  },
  organicInstalls: { minuend: 'installs', subtrahend: 'attributedInstalls' },
  networkInstalls: {
    place: 12,
    column: 'network_installs',
    adds: ({ kind, network }) => kind === 'install' && network !== '',
    description: 'That an ad network claims, whatever the method',
  },
  existingUsers: {
    place: 9,
    column: 'existing_users',
    adds: ({ kind }) => kind === 'existing',
    description: 'Had the app before the version that brought the SDK; not among the installs',
  },
  opens: {
    place: 4,
    column: 'opens',
    adds: ({ kind }) => kind === 'open',
    description: 'Direct opens included',
  },
  directOpens: {
    place: 5,
    column: 'direct_opens',
    adds: ({ kind, method }) => kind === 'open' && method === 'DIRECT',
  },
  events: { place: 6, column: 'events', adds: ({ kind }) => kind === 'event', last: 'creditedEvents' },
  creditedEvents: {
    place: 7,
    column: 'credited_events',
    adds: ({ kind }) => kind === 'credited',
    description: null,
  },
  revenue: {
    place: 0,
    column: 'revenue',
    isMoney: true,
    adds: ({ kind }) => kind === 'event',
    last: 'creditedRevenue',
    description: 'By currency',
  },
  creditedRevenue: {
    place: 1,
    column: 'credited_revenue',
    isMoney: true,
    adds: ({ kind }) => kind === 'credited',
    description: null,
  },
  payingInstalls: {
    place: 10,
    column: 'paying_installs',
    adds: ({ kind }) => kind === 'paying',
    description: 'Installs of the time with an event of positive revenue since',
  },
  cohortRevenue: {
    place: 2,
    column: 'cohort_revenue',
    isMoney: true,
    adds: ({ kind }) => kind === 'cohort',
    description: 'All revenue so far of the installs of the time, by currency',
  },
  networkCohortRevenue: {
    place: 3,
    column: 'network_cohort_revenue',
    isMoney: true,
    adds: ({ kind, network }) => kind === 'cohort' && network !== '',
    description: null,
  },
  firstPurchases: {
    place: 11,
    column: 'first_purchases',
    adds: ({ kind }) => kind === 'firstPurchase',
    description: 'Installs that paid for the first time',
  },
  cost: { ofCosts: true },
  costPerInstall: { ofCosts: true },
  returnOnAdSpend: { ofCosts: true },
} as const satisfies Record<string, (StoredCount | Difference | OfCosts) & Metric>;

type NamesOf<T> = {
  [N in keyof typeof COUNTS]: (typeof COUNTS)[N] extends T ? N : never;
}[keyof typeof COUNTS];
export type MoneyName = NamesOf<{ isMoney: true }>;
/** Of metrics of costs; their fields are in `costs/spend.ts`. */
export type SpendName = NamesOf<{ ofCosts: true }>;
export type CountName = Exclude<keyof typeof COUNTS, MoneyName | SpendName>;
export type MetricName = Exclude<keyof typeof COUNTS, NamesOf<{ description: null }>>;

export const BY_NAME: Readonly<Record<string, (StoredCount | Difference | OfCosts) & Metric>> = COUNTS;
export const METRICS = Object.keys(COUNTS).filter(
  (name) => BY_NAME[name]?.description !== null,
) as readonly MetricName[];

export function isOfCosts(name: MetricName): name is SpendName {
  return 'ofCosts' in COUNTS[name];
}

export const STORED: readonly StoredCount[] = Object.values(BY_NAME).filter((count) => 'place' in count);
const inPlaces = (isMoney: boolean) =>
  STORED.filter((count) => (count.isMoney ?? false) === isMoney).sort((a, b) => a.place - b.place);
export const INTEGERS = inPlaces(false);
export const MONEY = inPlaces(true);

/** Counts that add up to the number of records. */
export const RECORDS = ['clicks', 'otherClicks', 'installs', 'existingUsers', 'opens', 'events'] as const;

/** By which link events and their revenue count: the install's, or that of the install's latest open before the event. */
export type Credit = 'install' | 'last';

/** The count that `credit=last` reads in place of another, if there is one. */
export function lastOf({ last }: StoredCount): StoredCount | null {
  return last === undefined ? null : (BY_NAME[last] as StoredCount);
}

/** The column that has a metric; null for money, and for what follows from other counts. */
export function columnOf(name: MetricName, credit: Credit): keyof CountDaysTable | null {
  const count = BY_NAME[name];
  if (count === undefined || !('place' in count) || count.isMoney === true) return null;
  return (credit === 'last' ? (lastOf(count) ?? count) : count).column;
}
