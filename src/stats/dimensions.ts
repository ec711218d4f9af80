/** The dimensions that statistics are grouped by, each declared once. */
import { FORGOTTEN_INVITER } from '../links/index.ts';
import type { Pending } from './pending.ts';

interface Utm {
  readonly source: string | null;
  readonly medium: string | null;
  readonly campaign: string | null;
}

/** A count, with the install that made its link. */
interface CountOfLink extends Pending {
  /** Null for none. */
  readonly inviter: string | null;
}

interface Declaration {
  /** The value of a count; empty or null where it has none. */
  readonly textOf: (count: CountOfLink, utm: Utm | null) => string | null | undefined;
  /** For dimensions with many values: so many of them an app, live or sandbox, keeps a day. */
  readonly max?: number;
}

/** Of values that visitors or apps choose. */
export const MAX_VALUES = 200;
/** Of campaigns of networks: neither visitors nor apps choose them, and a large advertiser has hundreds. */
const MAX_NETWORK_CAMPAIGNS = 1_000;

/** Cells are of these, or of the empty dimension, which has every count. Platforms are a column of every cell. */
const DECLARED = {
  link: { textOf: ({ link_id }) => link_id },
  campaign: { textOf: ({ campaign_id }) => campaign_id },
  method: { textOf: ({ method }) => method },
  country: { textOf: ({ country }) => country },
  referrer: { textOf: ({ referrer }) => referrer, max: MAX_VALUES },
  utmSource: { textOf: (_, utm) => utm?.source, max: MAX_VALUES },
  utmMedium: { textOf: (_, utm) => utm?.medium, max: MAX_VALUES },
  utmCampaign: { textOf: (_, utm) => utm?.campaign, max: MAX_VALUES },
  eventName: { textOf: ({ event_name }) => event_name, max: MAX_VALUES },
  platformVersion: { textOf: ({ platform_version }) => platform_version, max: MAX_VALUES },
  appVersion: { textOf: ({ app_version }) => app_version, max: MAX_VALUES },
  visitor: { textOf: ({ visitor }) => visitor },
  network: { textOf: ({ network }) => network },
  networkCampaign: { textOf: ofNetworkCampaign, max: MAX_NETWORK_CAMPAIGNS },
  // Not in the cells of links: a link has one.
  inviter: { textOf: ({ inviter }) => inviter, max: MAX_VALUES },
} as const satisfies Record<string, Declaration>;

export type Dimension = keyof typeof DECLARED;
const ENTRIES = Object.entries<Declaration>(DECLARED) as [Dimension, Declaration][];
export const DIMENSIONS = ENTRIES.map(([dimension]) => dimension);

/** How many values are kept. */
export const BOUNDED: ReadonlyMap<Dimension, number> = new Map(
  ENTRIES.flatMap(([dimension, { max }]) => (max === undefined ? [] : [[dimension, max] as const])),
);

/** Stands for the values beyond the bound, and for inviters that were erased or deleted. Stored values are prefixed, so that none is mistaken for it. */
export const OTHER = '*';
/** Stands for records without a link. Other dimensions have no cells of records without a value. */
export const NONE = '-';
const PREFIX = '=';

export function toValue(text: string): string {
  return PREFIX + text;
}

export function fromValue(value: string): string {
  return value.slice(PREFIX.length);
}

/** The stored values of a count; none for a dimension where it has no value. */
export function valuesOf(count: CountOfLink): Map<Dimension, string> {
  const utm = count.utm === '' ? null : (JSON.parse(count.utm) as Utm);
  const values = new Map<Dimension, string>();
  for (const [dimension, { textOf }] of ENTRIES) {
    const text = textOf(count, utm);
    if (text) values.set(dimension, dimension === 'inviter' ? inviterValue(text) : toValue(text));
    else if (dimension === 'link') values.set(dimension, NONE);
  }
  return values;
}

function ofNetworkCampaign({ network, network_campaign }: Pending): string {
  return network_campaign === '' ? '' : toNetworkCampaign(network, network_campaign);
}

/** That claim installs. */
export const NETWORKS = ['apple_ads', 'meta', 'google_ads'] as const;
/** As people spell them. */
export const NETWORK_TITLES: Readonly<Record<(typeof NETWORKS)[number], string>> = {
  apple_ads: 'Apple Ads',
  meta: 'Meta',
  google_ads: 'Google Ads',
};

/** Campaigns of two networks may have the same ID. Names of networks have no space. */
export function toNetworkCampaign(network: string, campaignId: string): string {
  return `${network} ${campaignId}`;
}

export function fromNetworkCampaign(text: string): { network: string; campaignId: string } {
  const [network = ''] = text.split(' ', 1);
  return { network, campaignId: text.slice(network.length + 1) };
}

/** Whether a stored value of `network` or `networkCampaign` is of a network. */
export function isOfNetwork(value: string, network: string): boolean {
  return `${value} `.startsWith(toValue(toNetworkCampaign(network, '')));
}

function inviterValue(installId: string): string {
  return installId === FORGOTTEN_INVITER ? OTHER : toValue(installId);
}
