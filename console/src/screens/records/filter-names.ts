/** What filters and their values are called; pure. */
import { formatCountry, METHODS, type Method, PLATFORMS, shortId } from '../../formats.ts';
import { formatNetwork, NETWORKS } from '../../stats/networks.ts';
import type { Filter } from './record-search.ts';

type Named = Exclude<Filter, 'from' | 'to' | 'before' | 'sandbox'>;

/** In the order in which they are offered. */
export const FILTER_NAMES: Readonly<Record<Named, string>> = {
  campaignId: 'Campaign',
  shortCode: 'Link',
  country: 'Country',
  platform: 'Platform',
  method: 'Matched by',
  eventName: 'Event',
  userId: 'User ID',
  hasRevenue: 'Revenue',
  referrer: 'Referrer',
  utmSource: 'Source',
  utmMedium: 'Medium',
  utmCampaign: 'UTM campaign',
  platformVersion: 'OS version',
  appVersion: 'App version',
  existingUser: 'Existing users',
  visitor: 'Visitors',
  installId: 'Install',
  invitedBy: 'Invited by',
  network: 'Network',
  networkCampaign: 'Network campaign',
};
export const NAMED = Object.keys(FILTER_NAMES) as readonly Named[];
export type { Named };

const VALUES: Partial<Readonly<Record<Filter, Readonly<Record<string, string>>>>> = {
  platform: { ...PLATFORMS, '': 'other devices' },
  country: { '': 'not known' },
  hasRevenue: { true: 'with revenue', false: 'without' },
  existingUser: { false: 'left out', true: 'only these' },
  network: { ...Object.fromEntries(NETWORKS.map((name) => [name, formatNetwork(name)])), '': 'none' },
  visitor: { all: 'people, crawlers and tools', human: 'people' },
};

/** The values that can be chosen, where they are few. */
export function choicesOf(filter: Named, kind: string): readonly string[] | null {
  if (filter === 'method') {
    const methods = Object.keys(METHODS).filter((method) => method !== 'DIRECT');
    return kind === 'opens' ? [...methods, 'DIRECT'] : methods;
  }
  if (filter === 'platform') return ['IOS', 'ANDROID', ''];
  if (filter === 'network') return [...NETWORKS, ''];
  if (filter === 'visitor') return ['all'];
  if (filter === 'hasRevenue' || filter === 'existingUser')
    return Object.keys(VALUES[filter] ?? {}).toSorted();
  return null;
}

export function valueText(filter: Filter, value: string): string {
  const known = VALUES[filter]?.[value];
  if (known !== undefined) return known;
  if (value === '') return 'none';
  if (filter === 'shortCode') return `/${value}`;
  if (filter === 'country') return formatCountry(value);
  if (filter === 'method') return METHODS[value as Method] ?? value;
  if (filter === 'platformVersion') return systemText(value);
  if (filter === 'invitedBy' || filter === 'installId') return shortId(value);
  return value;
}

/** `IOS 18` is iOS 18. */
function systemText(value: string): string {
  const [platform = '', version = ''] = value.split(' ');
  return platform === 'IOS' || platform === 'ANDROID' ? `${PLATFORMS[platform]} ${version}` : value;
}
