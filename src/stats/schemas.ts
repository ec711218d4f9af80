/** `GET /v1/stats`. */
import { type Static, type TSchema, Type } from 'typebox';
import { AppError } from '../errors.ts';
import { days } from '../server/days.ts';
import { Named, Nullable, OnlyThese, Text, Timestamp } from '../server/schemas.ts';
import type { Counts } from './add-counts.ts';
import { METRICS } from './counts.ts';
import type { FilterDimension } from './dimension-filter.ts';
import { DIMENSIONS, fromNetworkCampaign, NETWORK_TITLES } from './dimensions.ts';
import type { GroupBy, Grouping } from './groups.ts';
import { metricFields, presentMetrics } from './metrics.ts';
import { COMPARISONS, INTERVALS, localTime } from './periods.ts';
import type { Series } from './read-period.ts';
import { PARTS, type Stats } from './read-stats.ts';

const OR_NONE = 'empty for records without one';
const MAX_GROUPINGS = 6;
const MAX_VALUE_CHARACTERS = 1_000;
const GROUP_BY = [...DIMENSIONS, 'platform'] as const;

/** Query parameters that filter counts. */
export const statsFilters = {
  shortCode: Type.Optional(
    Type.String({ maxLength: 255, description: `Of the link, deleted ones included; ${OR_NONE}` }),
  ),
  campaignId: Type.Optional(Type.String({ maxLength: 255, description: `Of the click; ${OR_NONE}` })),
  platform: Type.Optional(
    Type.Enum(['ANDROID', 'IOS', ''], { description: 'Empty: those of other platforms' }),
  ),
  sandbox: Type.Optional(
    Type.Enum(['true', 'false'], {
      description: 'true for sandbox records alone; the default is false, and true for a test key',
    }),
  ),
};

const value = (description: string) =>
  Type.Optional(Type.String({ maxLength: MAX_VALUE_CHARACTERS, description }));

/** At most one of them. */
const dimensionFilters = {
  country: Type.Optional(Text('^([A-Z]{2})?$', `two letters, such as DE; ${OR_NONE}`)),
  referrer: value(`Host name, of the click; ${OR_NONE}`),
  utmSource: value(`Of the click; ${OR_NONE}`),
  utmMedium: value(`Of the click; ${OR_NONE}`),
  utmCampaign: value(`Of the click; ${OR_NONE}`),
  method: Type.Optional(
    Type.Enum(['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC', 'DIRECT', ''], {
      description: 'Of installs, opens, and the installs of events; empty for clicks',
    }),
  ),
  platformVersion: Type.Optional(
    Text('^((ANDROID|IOS) [0-9]{1,9})?$', `a platform and its major version, such as IOS 18; ${OR_NONE}`),
  ),
  appVersion: value(`At the install or open; ${OR_NONE}`),
  network: Type.Optional(
    Text(
      '^([a-z][a-z0-9_]{0,63})?$',
      `a network that claims the install, or the install of an event, such as apple_ads; ${OR_NONE}`,
    ),
  ),
  networkCampaign: value(`The ID of a campaign of a network, combines with network; ${OR_NONE}`),
} satisfies Record<FilterDimension, TSchema>;

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

export const ReadStats = OnlyThese({
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
  compare: Type.Optional(
    Type.Enum([...COMPARISONS], {
      default: 'days',
      description: '`previous` is of as many days before, or of the same days of the month before',
    }),
  ),
  groupBy: Type.Optional(listOf(GROUP_BY, MAX_GROUPINGS)),
  include: Type.Optional(listOf(PARTS, PARTS.length)),
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 20, description: 'Of groups; the rest is `other`' }),
  ),
  sort: Type.Optional(
    Type.Enum([...METRICS], {
      default: 'clicks',
      description:
        'Largest first; money in the currency that most groups have, those without it by the next one',
    }),
  ),
  ...statsFilters,
  ...dimensionFilters,
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
  Type.Array(
    Named('StatsInterval', {
      at: Timestamp,
      partial: Type.Optional(Type.Literal(true, { description: 'Not over: counted up to now' })),
      ...metricFields,
    }),
    { description },
  );
const before = (description: string) => ({ previous: Type.Optional(Metrics(description)) });
const groups = {
  groups: Type.Array(
    Named('StatsGroup', {
      key: Nullable(Type.String(), {
        description: 'Short code, campaign, platform and so on; null for records without one',
      }),
      label: Type.String({
        description: 'For people; of a network’s campaign its name, if the network tells it',
      }),
      network: Type.Optional(Type.String({ description: 'Of a campaign, with `groupBy=networkCampaign`' })),
      ...metricFields,
      ...before('Of the period before, if `include` has it'),
    }),
  ),
  other: Named(
    'StatsOther',
    { ...metricFields, ...before('Of the period before, less its groups') },
    { description: 'The totals less the groups' },
  ),
};

export const StatsAnswer = Named('Stats', {
  from: Day,
  to: Day,
  timezone: Type.String(),
  interval: Type.Enum([...INTERVALS]),
  totals: Type.Optional(Metrics()),
  previous: Type.Optional(
    Named(
      'StatsPrevious',
      {
        from: Timestamp,
        to: Type.Unsafe<Static<typeof Timestamp>>({
          ...Timestamp,
          description:
            'Excluded. The end of the days that are compared; for a period that is not over, the same local time as now, to the nearest quarter hour',
        }),
        ...metricFields,
      },
      { description: 'Of as many days before' },
    ),
  ),
  series: Type.Optional(
    SeriesOf('Every interval up to now, by its start; weeks start on Monday, the first interval at `from`'),
  ),
  previousSeries: Type.Optional(
    SeriesOf('Of as many days before, up to `previous.to`; only if `include` names it'),
  ),
  groups: Type.Optional(groups.groups),
  other: Type.Optional(groups.other),
  groupings: Type.Optional(
    Type.Array(Named('StatsGrouping', { groupBy: Type.Enum([...GROUP_BY]), ...groups }), {
      description: 'With several values of `groupBy`, in their order; `groups` and `other` are the first',
    }),
  ),
});

export type Answer = Static<typeof StatsAnswer>;

export interface Names {
  /** Of links by ID, if there are groups of links. */
  readonly shortCodes: ReadonlyMap<string, string>;
  /** Of campaigns of networks by key, if there are groups of them. */
  readonly campaigns: ReadonlyMap<string, string>;
}

export function presentStats(stats: Stats, names: Names): Answer {
  const { from, to, timezone, interval } = stats.period;
  const metricsOf = (counts: Counts | null) => (counts === null ? undefined : presentMetrics(counts));
  const seriesOf = (series: Series | null) =>
    series?.map(({ startMs, isPartial, counts }) => ({
      at: localTime(timezone, startMs),
      ...(isPartial && { partial: true as const }),
      ...presentMetrics(counts),
    }));
  const groupings = stats.groupings?.map((grouping) => presentGrouping(grouping, names));
  return {
    ...{ from, to, timezone, interval },
    totals: metricsOf(stats.totals),
    previous: stats.previous === null ? undefined : presentPrevious(stats.previous, stats.periodBefore),
    series: seriesOf(stats.series),
    previousSeries: seriesOf(stats.previousSeries),
    groups: groupings?.[0]?.groups,
    other: groupings?.[0]?.other,
    groupings: groupings?.[1] && (groupings as Answer['groupings']),
  };
}

function presentPrevious(counts: Counts, { timezone, fromMs, toMs }: Stats['periodBefore']) {
  return {
    ...{ from: localTime(timezone, fromMs), to: localTime(timezone, toMs) },
    ...presentMetrics(counts),
  };
}

function presentGrouping({ groupBy, groups, other, otherPrevious }: Grouping, names: Names) {
  return {
    groupBy,
    groups: groups.map(({ key, counts, previous }) => ({
      ...presentKey(groupBy, key, names),
      ...presentMetrics(counts),
      ...(previous !== undefined && { previous: presentMetrics(previous) }),
    })),
    other: {
      ...presentMetrics(other),
      ...(otherPrevious !== undefined && { previous: presentMetrics(otherPrevious) }),
    },
  };
}

function presentKey(groupBy: GroupBy | null, key: string | null, { shortCodes, campaigns }: Names) {
  if (key !== null && groupBy === 'networkCampaign') {
    const { network, campaignId } = fromNetworkCampaign(key);
    return { key: campaignId, label: campaigns.get(key) ?? campaignId, network };
  }
  const shown = groupBy === 'link' && key !== null ? (shortCodes.get(key) ?? key) : key;
  return { key: shown, label: labelOf(groupBy, shown) };
}

const COUNTRIES = new Intl.DisplayNames(['en'], { type: 'region' });
const PLATFORMS: Readonly<Record<string, string>> = { ANDROID: 'Android', IOS: 'iOS' };
const NETWORKS: Readonly<Record<string, string>> = NETWORK_TITLES;

function labelOf(groupBy: GroupBy | null, key: string | null): string {
  if (key === null) return '(none)';
  if (groupBy === 'platform') return PLATFORMS[key] ?? key;
  if (groupBy === 'network') return NETWORKS[key] ?? key;
  return groupBy === 'country' ? (COUNTRIES.of(key) ?? key) : key;
}
