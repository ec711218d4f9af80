/** What narrows a list of records down: filters of the address, which are those of the API. */
import type {
  ListClicksData,
  ListEventsData,
  ListInstallsData,
  ListOpensData,
} from '@generated/types.gen.ts';
import type { Search } from '../../search.ts';

export type Kind = 'clicks' | 'installs' | 'opens' | 'events';

/** An empty value means: has none. */
const MAY_BE_NONE = [
  ...(['shortCode', 'campaignId', 'platform', 'country', 'referrer'] as const),
  ...(['utmSource', 'utmMedium', 'utmCampaign', 'platformVersion', 'appVersion', 'invitedBy'] as const),
  ...(['network', 'networkCampaign'] as const),
] as const;
const TEXTS = [
  ...(['from', 'to', 'before', 'sandbox', 'visitor'] as const),
  ...(['installId', 'userId', 'hasRevenue', 'existingUser'] as const),
] as const;
/** These may be repeated: any of their values. */
const LISTS = ['method', 'eventName'] as const;

type Text = (typeof MAY_BE_NONE)[number] | (typeof TEXTS)[number];
type List = (typeof LISTS)[number];
export type Filter = Text | List;

export type RecordSearch = Search<Text> & { readonly [Key in List]?: string | readonly string[] };

const COMMON: readonly Filter[] = [
  ...(['from', 'to', 'before', 'sandbox', 'shortCode', 'campaignId', 'platform', 'country'] as const),
  ...(['referrer', 'utmSource', 'utmMedium', 'utmCampaign'] as const),
];
const VERSIONS: readonly Filter[] = ['platformVersion', 'appVersion'];

/** What the API's list of each kind takes. */
const TAKEN: Readonly<Record<Kind, readonly Filter[]>> = {
  clicks: [...COMMON, 'visitor'],
  installs: [
    ...COMMON,
    ...VERSIONS,
    'method',
    'userId',
    'hasRevenue',
    'existingUser',
    'invitedBy',
    'network',
    'networkCampaign',
  ],
  opens: [...COMMON, ...VERSIONS, 'method', 'userId', 'installId'],
  events: [...COMMON, ...VERSIONS, 'eventName', 'userId', 'hasRevenue', 'installId'],
};

export function takes(kind: Kind, filter: Filter): boolean {
  return TAKEN[kind].includes(filter);
}

/** Keeps of an address, or of another list, what the list of a kind takes. */
export function searchOf(kind: Kind): (search: Record<string, unknown>) => RecordSearch {
  return (search) => {
    const kept: Record<string, string | readonly string[]> = {};
    for (const name of TAKEN[kind]) {
      const value = search[name];
      if (isList(name)) {
        const values = valuesOf(value);
        if (values.length > 0) kept[name] = values;
      } else if (typeof value === 'string' && (value !== '' || mayBeNone(name))) kept[name] = value;
    }
    return kept;
  };
}

/** Of a filter that may be repeated. */
export function valuesOf(value: unknown): readonly string[] {
  return [
    ...new Set([value].flat().filter((each): each is string => typeof each === 'string' && each !== '')),
  ];
}

export function mayBeNone(name: Filter): boolean {
  return (MAY_BE_NONE as readonly string[]).includes(name);
}

export function isList(name: Filter): name is List {
  return (LISTS as readonly string[]).includes(name);
}

interface Queries {
  readonly clicks: NonNullable<ListClicksData['query']>;
  readonly installs: NonNullable<ListInstallsData['query']>;
  readonly opens: NonNullable<ListOpensData['query']>;
  readonly events: NonNullable<ListEventsData['query']>;
}

/** As the API takes them; it says what is wrong with a value that somebody wrote into the address. */
export function queryOf<K extends Kind>(kind: K, search: RecordSearch): Queries[K] {
  return searchOf(kind)(search) as Queries[K];
}

/** The filters alone, whatever the page. */
export function filtersOf({ before: _, ...filters }: RecordSearch): RecordSearch {
  return filters;
}
