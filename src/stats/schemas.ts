/** `GET /v1/stats`. */
import { type Static, Type } from 'typebox';
import { AppError } from '../errors.ts';
import { days } from '../server/days.ts';
import { Named, Nullable, Text, Timestamp } from '../server/schemas.ts';
import type { Counts } from './add-counts.ts';
import { METRICS } from './counts.ts';
import { DIMENSIONS } from './dimensions.ts';
import type { GroupBy, Grouping } from './groups.ts';
import { MONEY_METRICS, type MoneyMetric, metricFields, presentMetrics } from './metrics.ts';
import { INTERVALS, localTime } from './periods.ts';
import { PARTS, type Series, type Stats } from './read-stats.ts';

const MAX_GROUPINGS = 6;
const GROUP_BY = [...DIMENSIONS, 'platform'] as const;

/** Query parameters that filter counts. */
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

/** Values by comma. */
function listOf(values: readonly string[], max: number) {
  const one = `(${values.join('|')})`;
  return Text(
    `^${one}(,${one}){0,${max - 1}}$`,
    `one to ${max} of ${values.join(', ')}, separated by commas`,
  );
}

/** @throws AppError `request.invalid` for a value that comes twice. */
export function readList<T extends string>(name: string, text: string | undefined): T[] {
  const values = (text?.split(',') ?? []) as T[];
  const repeated = values.find((value, index) => values.indexOf(value) !== index);
  if (repeated === undefined) return values;
  throw new AppError('request.invalid', { message: `${name} has ${repeated} twice. Give each value once.` });
}

export const ReadStats = Type.Object({
  ...days,
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
  groupBy: Type.Optional(listOf(GROUP_BY, MAX_GROUPINGS)),
  include: Type.Optional(listOf(PARTS, PARTS.length)),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Of groups; the rest is `other`' }),
  ),
  sort: Type.Optional(
    Type.Enum([...METRICS], {
      default: 'clicks',
      description: 'Largest first; money in the currency with the largest total',
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

const Day = Type.String({ description: 'A day in the time zone, such as 2026-01-31' });
const Metrics = (description?: string) =>
  Named('StatsMetrics', metricFields, description === undefined ? {} : { description });
const SeriesOf = (description: string) =>
  Type.Array(Named('StatsInterval', { at: Timestamp, ...metricFields }), { description });
const groups = {
  groups: Type.Array(
    Named('StatsGroup', {
      key: Nullable(Type.String(), {
        description: 'Short code, campaign, platform and so on; null for records without one',
      }),
      label: Type.String({ description: 'For people' }),
      ...metricFields,
    }),
  ),
  other: Metrics('The totals less the groups'),
};

export const StatsAnswer = Named('Stats', {
  from: Day,
  to: Day,
  timezone: Type.String(),
  interval: Type.Enum([...INTERVALS]),
  totals: Type.Optional(Metrics()),
  previous: Type.Optional(Metrics('Of as many days before')),
  series: Type.Optional(
    SeriesOf('Every interval, by its start; weeks start on Monday, the first interval at `from`'),
  ),
  previousSeries: Type.Optional(SeriesOf('Of as many days before; only if `include` names it')),
  groups: Type.Optional(groups.groups),
  other: Type.Optional(groups.other),
  groupings: Type.Optional(
    Type.Array(Named('StatsGrouping', { groupBy: Type.Enum([...GROUP_BY]), ...groups }), {
      description: 'With several values of `groupBy`, in their order; `groups` and `other` are the first',
    }),
  ),
});

type Answer = Static<typeof StatsAnswer>;

/** @param shortCodes of links by ID, if there are groups of links. */
export function presentStats(stats: Stats, shortCodes: ReadonlyMap<string, string>): Answer {
  const { from, to, timezone, interval } = stats.period;
  const metricsOf = (counts: Counts | null) => (counts === null ? undefined : presentMetrics(counts));
  const seriesOf = (series: Series | null) =>
    series?.map(([startMs, counts]) => ({ at: localTime(timezone, startMs), ...presentMetrics(counts) }));
  const groupings = stats.groupings?.map((grouping) => presentGrouping(grouping, shortCodes));
  return {
    ...{ from, to, timezone, interval },
    totals: metricsOf(stats.totals),
    previous: metricsOf(stats.previous),
    series: seriesOf(stats.series),
    previousSeries: seriesOf(stats.previousSeries),
    groups: groupings?.[0]?.groups,
    other: groupings?.[0]?.other,
    groupings: groupings?.[1] && (groupings as Answer['groupings']),
  };
}

function presentGrouping({ groupBy, groups, other }: Grouping, shortCodes: ReadonlyMap<string, string>) {
  const keyOf = (key: string | null) =>
    groupBy === 'link' && key !== null ? (shortCodes.get(key) ?? key) : key;
  return {
    groupBy,
    groups: groups.map(({ key, counts }) => ({
      ...{ key: keyOf(key), label: labelOf(groupBy, keyOf(key)) },
      ...presentMetrics(counts),
    })),
    other: presentMetrics(other),
  };
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });
const PLATFORMS: Readonly<Record<string, string>> = { ANDROID: 'Android', IOS: 'iOS' };

function labelOf(groupBy: GroupBy | null, key: string | null): string {
  if (key === null) return '(none)';
  if (groupBy === 'platform') return PLATFORMS[key] ?? key;
  return groupBy === 'country' ? (COUNTRIES.of(key) ?? key) : key;
}

/** Rows of the groups, or of the series without groups; money has a column for each currency. */
export function toTable({ groups, series = [] }: Answer): Record<string, unknown>[] {
  const rows = groups ?? series;
  const currenciesOf = (name: MoneyMetric) =>
    [...new Set(rows.flatMap((row) => row[name].map(({ currency }) => currency)))].sort();
  const currencies = MONEY_METRICS.map((name) => [name, currenciesOf(name)] as const);
  return rows.map((row) => ({
    ...withoutMoney(row),
    ...Object.fromEntries(
      currencies.flatMap(([name, all]) =>
        all.map((currency) => [
          `${name}_${currency}`,
          row[name].find((sum) => sum.currency === currency)?.amount ?? '0.00',
        ]),
      ),
    ),
  }));
}

function withoutMoney(row: object): object {
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !MONEY_METRICS.some((metric) => metric === name)),
  );
}
