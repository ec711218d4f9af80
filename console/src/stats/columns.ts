/** The columns of lists, each declared once. */
import type { StatsMetrics } from '@generated/types.gen.ts';
import type { RecordKind } from '../components/mark.tsx';
import type { Amount, Unit } from './amounts.ts';
import type { StatsQuery } from './use-stats.ts';

export interface Column {
  readonly name: string;
  readonly unit: Unit;
  /** Digits of money. */
  readonly digits?: number;
  readonly help?: string;
  readonly mark?: RecordKind;
  /** What the service sorts by; `isLocal` where the page sorts what it got. */
  readonly sort: NonNullable<StatsQuery['sort']>;
  readonly isLocal?: boolean;
  /** Of the installs of a period, whose age changes it: those of the period before had more time to pay. */
  readonly isOfCohorts?: boolean;
  /** Only the app, its campaigns and networks have costs. */
  readonly isOfCosts?: boolean;
  readonly amountsOf: (numbers: StatsMetrics) => readonly Amount[];
}

type Money = readonly { readonly currency: string; readonly amount: string }[];

const count = (value: number): Amount[] => [{ value, currency: null }];
const money = (sums: Money): Amount[] =>
  sums.map(({ currency, amount }) => ({ currency, value: Number(amount) }));
const each = (sums: Money, divisor: number): Amount[] =>
  divisor === 0 ? [] : money(sums).map(({ currency, value }) => ({ currency, value: value / divisor }));

export const COLUMNS = {
  clicks: {
    name: 'Clicks',
    unit: 'count',
    mark: 'click',
    sort: 'clicks',
    amountsOf: ({ clicks }) => count(clicks),
  },
  installs: {
    name: 'Installs',
    unit: 'count',
    mark: 'install',
    sort: 'installs',
    amountsOf: ({ installs }) => count(installs),
  },
  attributed: {
    name: 'Attributed',
    unit: 'share',
    help: 'The share of installs that a link brought',
    sort: 'attributedInstalls',
    isLocal: true,
    amountsOf: ({ installs, attributedInstalls }) =>
      installs === 0 ? [] : count(attributedInstalls / installs),
  },
  networkInstalls: {
    name: 'Network installs',
    unit: 'count',
    help: 'Installs that an ad network claims, however they were matched',
    sort: 'networkInstalls',
    amountsOf: ({ networkInstalls }) => count(networkInstalls),
  },
  opens: {
    name: 'Opens',
    unit: 'count',
    mark: 'open',
    sort: 'opens',
    amountsOf: ({ opens }) => count(opens),
  },
  events: {
    name: 'Events',
    unit: 'count',
    mark: 'event',
    sort: 'events',
    amountsOf: ({ events }) => count(events),
  },
  payingInstalls: {
    isOfCohorts: true,
    name: 'Paying installs',
    unit: 'count',
    help: 'Installs of these days that paid since',
    sort: 'payingInstalls',
    amountsOf: ({ payingInstalls }) => count(payingInstalls),
  },
  firstPurchases: {
    name: 'First purchases',
    unit: 'count',
    help: 'Installs of any day that paid for the first time in these days',
    sort: 'firstPurchases',
    amountsOf: ({ firstPurchases }) => count(firstPurchases),
  },
  revenue: {
    name: 'Revenue',
    unit: 'money',
    digits: 0,
    help: 'Of these days, whenever the app was installed',
    sort: 'revenue',
    amountsOf: ({ revenue }) => money(revenue),
  },
  cohortRevenue: {
    isOfCohorts: true,
    name: 'Revenue of the installs',
    unit: 'money',
    digits: 0,
    help: 'All that the installs of these days have paid so far',
    sort: 'cohortRevenue',
    amountsOf: ({ cohortRevenue }) => money(cohortRevenue),
  },
  revenuePerInstall: {
    isOfCohorts: true,
    name: 'Revenue for an install',
    unit: 'money',
    help: 'All that the installs of these days have paid so far, divided by their number',
    sort: 'cohortRevenue',
    isLocal: true,
    amountsOf: ({ cohortRevenue, installs }) => each(cohortRevenue, installs),
  },
  cost: {
    name: 'Cost',
    unit: 'money',
    digits: 0,
    isOfCosts: true,
    help: 'What campaigns of links and of networks cost in these days',
    sort: 'cost',
    amountsOf: ({ cost = [] }) => money(cost),
  },
  costPerInstall: {
    name: 'Cost for an install',
    unit: 'money',
    isOfCosts: true,
    help: 'The cost divided by the installs that a link or a network brought',
    sort: 'costPerInstall',
    amountsOf: ({ costPerInstall = [] }) => money(costPerInstall),
  },
  returnOnAdSpend: {
    isOfCohorts: true,
    name: 'Return',
    unit: 'ratio',
    isOfCosts: true,
    help: 'What the installs of these days that a link or a network brought have paid so far, in per cent of the cost; of each currency by itself',
    sort: 'returnOnAdSpend',
    amountsOf: ({ returnOnAdSpend = [] }) =>
      returnOnAdSpend.map(({ currency, ratio }) => ({ currency, value: ratio })),
  },
} as const satisfies Record<string, Column>;

export type ColumnName = keyof typeof COLUMNS;
export const COLUMN_NAMES = Object.keys(COLUMNS) as ColumnName[];
const DEFAULT: readonly ColumnName[] = ['clicks', 'installs', 'payingInstalls', 'revenue'];

export function columnOf(name: ColumnName): Column {
  return COLUMNS[name];
}

export function isColumn(name: string): name is ColumnName {
  return Object.hasOwn(COLUMNS, name);
}

/** Those of an address such as `clicks,revenue`, in the order of the menu. */
export function chosenColumns(text: string | undefined): ColumnName[] {
  const names = new Set(text?.split(',') ?? []);
  const known = COLUMN_NAMES.filter((name) => names.has(name));
  return known.length === 0 ? [...DEFAULT] : known;
}

/** For an address; undefined for the usual ones. */
export function toColumnText(columns: readonly ColumnName[]): string | undefined {
  const text = columns.join(',');
  return text === DEFAULT.join(',') || text === '' ? undefined : text;
}
