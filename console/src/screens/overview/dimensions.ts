/** The lists of Overview, each declared once. */
import type { Stats } from '@generated/types.gen.ts';
import { formatCountry, METHODS, type Method, shortId } from '../../formats.ts';
import { formatCampaign, formatNetwork } from '../../stats/networks.ts';
import { type Filter, type Filters, singleFilterOf } from './overview-search.ts';

type GroupBy = NonNullable<Stats['groupings']>[number]['groupBy'];

export interface Dimension {
  readonly groupBy: GroupBy;
  /** Of the list. */
  readonly name: string;
  /** Of a row. */
  readonly one: string;
  /** Null where its rows are installs, whose pages they lead to. */
  readonly filter: Filter | null;
  /** The row of records without a value. */
  readonly none: string;
  /** Whether clicks have no value. */
  readonly isOfInstalls?: boolean;
  /** @param label of the service, which has names of campaigns. */
  readonly nameOf?: (key: string, label?: string) => string;
  readonly moreOf?: (key: string) => string | null;
}

const CERTAINTY: Readonly<Record<string, string>> = {
  INSTALL_REFERRER: 'named by Play, certain',
  CLICK_ID: 'passed by the app, certain',
  FINGERPRINT: 'probable, from the app’s threshold on',
  ORGANIC: 'no click fits',
};

/** By their names in addresses. */
export const DIMENSIONS = {
  links: {
    groupBy: 'link',
    name: 'Links',
    one: 'Link',
    filter: 'shortCode',
    none: 'without a link',
    nameOf: (key) => `/${key}`,
  },
  inviters: {
    groupBy: 'inviter',
    name: 'Inviters',
    one: 'Inviter',
    filter: null,
    none: 'not invited',
    nameOf: shortId,
  },
  campaigns: { groupBy: 'campaign', name: 'Campaigns', one: 'Campaign', filter: 'campaignId', none: 'none' },
  'network-campaigns': {
    groupBy: 'networkCampaign',
    name: 'Network campaigns',
    one: 'Network campaign',
    filter: 'networkCampaign',
    none: 'none',
    isOfInstalls: true,
    nameOf: formatCampaign,
  },
  sources: { groupBy: 'utmSource', name: 'Sources', one: 'Source', filter: 'utmSource', none: 'none' },
  media: { groupBy: 'utmMedium', name: 'Media', one: 'Medium', filter: 'utmMedium', none: 'none' },
  'utm-campaigns': {
    groupBy: 'utmCampaign',
    name: 'UTM campaigns',
    one: 'UTM campaign',
    filter: 'utmCampaign',
    none: 'none',
  },
  referrers: { groupBy: 'referrer', name: 'Referrers', one: 'Referrer', filter: 'referrer', none: 'none' },
  countries: {
    groupBy: 'country',
    name: 'Countries',
    one: 'Country',
    filter: 'country',
    none: 'Not known',
    nameOf: formatCountry,
  },
  platforms: {
    groupBy: 'platform',
    name: 'Platforms',
    one: 'Platform',
    filter: 'platform',
    none: 'Other devices',
    nameOf: (key) => ({ IOS: 'iOS', ANDROID: 'Android' })[key] ?? key,
  },
  methods: {
    groupBy: 'method',
    name: 'How installs were matched',
    one: 'Matched by',
    filter: 'method',
    none: 'Not told',
    isOfInstalls: true,
    nameOf: (key) => METHODS[key as Method] ?? key,
    moreOf: (key) => CERTAINTY[key] ?? null,
  },
  networks: {
    groupBy: 'network',
    name: 'Networks',
    one: 'Network',
    filter: 'network',
    none: 'Claimed by none',
    isOfInstalls: true,
    nameOf: formatNetwork,
  },
  versions: {
    groupBy: 'platformVersion',
    name: 'OS versions',
    one: 'OS version',
    filter: 'platformVersion',
    none: 'Not told',
    isOfInstalls: true,
    nameOf: (key) => key.replace(/^IOS /, 'iOS ').replace(/^ANDROID /, 'Android '),
  },
  'app-versions': {
    groupBy: 'appVersion',
    name: 'App versions',
    one: 'App version',
    filter: 'appVersion',
    none: 'Not told',
    isOfInstalls: true,
  },
} as const satisfies Record<string, Dimension>;

export type DimensionName = keyof typeof DIMENSIONS;
export const DIMENSION_NAMES = Object.keys(DIMENSIONS) as DimensionName[];

export function dimensionOf(name: DimensionName): Dimension {
  return DIMENSIONS[name];
}

/** Whether the service counts by this dimension beside the filters: by the filtered one, and by these three. */
export function isCounted({ groupBy, filter }: Dimension, search: Filters): boolean {
  const single = singleFilterOf(search);
  if (single === undefined || single === filter) return true;
  // A campaign of a network has one network.
  const isOfNetworks = single.startsWith('network') && search[single] !== '';
  return [...BESIDE, ...(isOfNetworks ? OF_NETWORKS : [])].includes(groupBy);
}
const BESIDE: readonly GroupBy[] = ['link', 'campaign', 'platform'];
const OF_NETWORKS: readonly GroupBy[] = ['network', 'networkCampaign'];

export function rowName({ none, nameOf }: Dimension, key: string | null, label?: string): string {
  return key === null ? none : (nameOf?.(key, label) ?? key);
}
