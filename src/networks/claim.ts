/** What an ad network says of an install. It stands beside the method, which it never changes. */
import { type Static, Type } from 'typebox';
import type { InstallsTable } from '../db/index.ts';
import { Named, Nullable, Timestamp } from '../server/schemas.ts';
import { NETWORKS } from '../stats/index.ts';

export type NetworkName = (typeof NETWORKS)[number];

const MAX_ID_CHARACTERS = 64;
const MAX_TEXT_CHARACTERS = 512;

const NullableText = Nullable(Type.String());
export const NetworkClaim = Named(
  'Network',
  {
    name: Type.Enum([...NETWORKS]),
    campaignId: NullableText,
    campaignName: NullableText,
    adGroupId: Nullable(Type.String(), { description: 'Of Meta: of the ad set' }),
    adGroupName: NullableText,
    adId: NullableText,
    adName: NullableText,
    keywordId: Nullable(Type.String(), { description: 'Of Apple Ads; null for search match' }),
    claimType: Nullable(Type.String(), { description: '`Click` or `Impression`' }),
    conversionType: Nullable(Type.String(), {
      description: 'Of Apple Ads, such as `Download` or `Redownload`',
    }),
    clickedAt: Nullable(Timestamp, {
      description: 'When the ad was tapped; null if the network does not say',
    }),
    test: Type.Boolean({ description: 'A record that the network makes for developers, not for an ad' }),
  },
  { description: 'What an ad network says of the install, beside `method`. Null if none does' },
);
export type NetworkClaim = Static<typeof NetworkClaim>;

const NO_CLAIM: Omit<NetworkClaim, 'name'> = {
  campaignId: null,
  campaignName: null,
  adGroupId: null,
  adGroupName: null,
  adId: null,
  adName: null,
  keywordId: null,
  claimType: null,
  conversionType: null,
  clickedAt: null,
  test: false,
};

/** A claim of what the network named; the rest is null. */
export function claimOf(name: NetworkName, fields: Partial<Omit<NetworkClaim, 'name'>>): NetworkClaim {
  return { name, ...NO_CLAIM, ...fields };
}

/** An ID as text; null for anything that is none. */
export function idText(value: unknown): string | null {
  if (typeof value === 'number') return Number.isSafeInteger(value) ? String(value) : null;
  const text = nameText(value);
  return text !== null && text.length <= MAX_ID_CHARACTERS ? text : null;
}

/** A network's text, cut where it is long and without what a database refuses; null if nothing is left. */
export function nameText(value: unknown): string | null {
  if (typeof value !== 'string') return null;
  const text = value
    .slice(0, MAX_TEXT_CHARACTERS)
    .toWellFormed()
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim();
  return text === '' ? null : text;
}

type ClaimColumns = Pick<InstallsTable, 'network' | 'network_name' | 'network_campaign'>;

export function claimColumns(claim: NetworkClaim | null): ClaimColumns {
  return {
    network: claim === null ? null : JSON.stringify(claim),
    network_name: claim?.name ?? null,
    network_campaign: claim?.campaignId ?? null,
  };
}

export function presentClaim({ network }: Pick<InstallsTable, 'network'>): NetworkClaim | null {
  return network === null ? null : (JSON.parse(network) as NetworkClaim);
}
