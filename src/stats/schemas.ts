/** `GET /v1/stats`. */
import { type Static, Type } from 'typebox';
import { Named, Nullable, Timestamp } from '../server/schemas.ts';
import { DIMENSIONS } from './dimensions.ts';
import { countOf, type Numbers } from './counts.ts';
import { INTERVALS, localTime } from './periods.ts';
import { organicInstallsOf, type Stats } from './read-stats.ts';
import { presentSums } from './revenue.ts';

const Day = Type.String({ description: 'A day in the time zone, such as 2026-01-31' });

const METRICS = [
  'clicks',
  'otherClicks',
  'installs',
  'attributedInstalls',
  'organicInstalls',
  'existingUsers',
  'opens',
  'directOpens',
  'events',
] as const;

/** Query parameters that filter numbers. */
export const statsFilters = {
  shortCode: Type.Optional(Type.String({ maxLength: 255 })),
  campaignId: Type.Optional(Type.String({ maxLength: 255 })),
  platform: Type.Optional(Type.Enum(['ANDROID', 'IOS'])),
  sandbox: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'true for sandbox records alone; the default is false, and true for a test key',
    }),
  ),
};

export const ReadStats = Type.Object({
  from: Type.Optional(Day),
  to: Type.Optional(Type.String({ description: 'Included; at most 366 days from `from`. Default: today' })),
  timezone: Type.Optional(
    Type.String({
      maxLength: 64,
      default: 'UTC',
      description: 'Of the IANA database, such as Europe/Berlin',
    }),
  ),
  interval: Type.Optional(
    Type.Enum([...INTERVALS], { default: 'day', description: '`hour` is for at most 14 days' }),
  ),
  groupBy: Type.Optional(Type.Enum([...DIMENSIONS, 'platform'])),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Of groups; the rest is `other`' }),
  ),
  sort: Type.Optional(
    Type.Enum([...METRICS, 'revenue'], {
      default: 'clicks',
      description: 'Largest first; revenue in the currency with the largest total',
    }),
  ),
  ...statsFilters,
  credit: Type.Optional(
    Type.Enum(['install', 'last'], {
      default: 'install',
      description:
        'The link of events and revenue: the install’s, or that of its latest open in the 30 days before the event',
    }),
  ),
});

const Count = Type.Integer({ minimum: 0 });
const Revenue = Named('RevenueSum', {
  currency: Type.String({ description: 'ISO 4217' }),
  amount: Type.String({ description: 'A decimal, exact' }),
});
const metrics = {
  clicks: Type.Integer({ minimum: 0, description: 'By humans' }),
  otherClicks: Type.Integer({ minimum: 0, description: 'By tools, crawlers, previews and the like' }),
  installs: Count,
  attributedInstalls: Count,
  organicInstalls: Count,
  existingUsers: Type.Integer({
    minimum: 0,
    description: 'Had the app before the version that brought the SDK; not among the installs',
  }),
  opens: Type.Integer({ minimum: 0, description: 'Direct opens included' }),
  directOpens: Count,
  events: Count,
  revenue: Type.Array(Revenue, { description: 'By currency' }),
};
const Metrics = Named('StatsMetrics', metrics);

export const StatsAnswer = Named('Stats', {
  from: Day,
  to: Day,
  timezone: Type.String(),
  interval: Type.Enum([...INTERVALS]),
  totals: Metrics,
  previous: Named('StatsMetrics', metrics, { description: 'Of as many days before' }),
  series: Type.Array(Named('StatsInterval', { at: Timestamp, ...metrics }), {
    description: 'Every interval, by its start; weeks start on Monday, the first interval at `from`',
  }),
  groups: Type.Array(
    Named('StatsGroup', {
      key: Nullable(Type.String(), {
        description: 'Short code, campaign, platform and so on; null for records without one',
      }),
      label: Type.String({ description: 'For people' }),
      ...metrics,
    }),
  ),
  other: Named('StatsMetrics', metrics, { description: 'The totals less the groups' }),
});

type PresentedMetrics = Static<typeof Metrics>;

function presentMetrics(numbers: Numbers): PresentedMetrics {
  return {
    clicks: countOf(numbers, 'clicks'),
    otherClicks: countOf(numbers, 'otherClicks'),
    installs: countOf(numbers, 'installs'),
    attributedInstalls: countOf(numbers, 'attributedInstalls'),
    organicInstalls: organicInstallsOf(numbers),
    existingUsers: countOf(numbers, 'existingUsers'),
    opens: countOf(numbers, 'opens'),
    directOpens: countOf(numbers, 'directOpens'),
    events: countOf(numbers, 'events'),
    revenue: presentSums(numbers.revenue),
  };
}

/** @param shortCodes of links by ID, if the groups are links. */
export function presentStats(
  stats: Stats,
  shortCodes: ReadonlyMap<string, string>,
): Static<typeof StatsAnswer> {
  const { period, groupBy } = stats;
  const keyOf = (key: string | null) =>
    groupBy === 'link' && key !== null ? (shortCodes.get(key) ?? key) : key;
  return {
    from: period.from,
    to: period.to,
    timezone: period.timezone,
    interval: period.interval,
    totals: presentMetrics(stats.totals),
    previous: presentMetrics(stats.previous),
    series: stats.series.map((numbers, index) => ({
      at: localTime(period.timezone, period.startsMs[index] ?? 0),
      ...presentMetrics(numbers),
    })),
    groups: stats.groups.map(({ key, numbers }) => ({
      key: keyOf(key),
      label: labelOf(groupBy, keyOf(key)),
      ...presentMetrics(numbers),
    })),
    other: presentMetrics(stats.other),
  };
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });
const PLATFORMS: Readonly<Record<string, string>> = { ANDROID: 'Android', IOS: 'iOS' };

function labelOf(groupBy: Stats['groupBy'], key: string | null): string {
  if (key === null) return '(none)';
  if (groupBy === 'platform') return PLATFORMS[key] ?? key;
  return groupBy === 'country' ? (COUNTRIES.of(key) ?? key) : key;
}

/** Rows of the groups, or of the series without groups; a column of revenue for each currency. */
export function toTable(
  { groups, series }: Static<typeof StatsAnswer>,
  isGrouped: boolean,
): Record<string, unknown>[] {
  const rows = isGrouped ? groups : series;
  const currencies = [
    ...new Set(rows.flatMap(({ revenue }) => revenue.map(({ currency }) => currency))),
  ].sort();
  return rows.map(({ revenue, ...row }) => ({
    ...row,
    ...Object.fromEntries(
      currencies.map((currency) => [
        `revenue_${currency}`,
        revenue.find((sum) => sum.currency === currency)?.amount ?? '0.00',
      ]),
    ),
  }));
}
