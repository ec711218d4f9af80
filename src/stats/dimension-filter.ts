/** A filter by a value of a dimension. Cells have one dimension each, so statistics take one such filter. */
import { AppError } from '../errors.ts';
import { type Dimension, NETWORKS, NONE, toNetworkCampaign, toValue } from './dimensions.ts';
import type { GroupBy } from './groups.ts';

/** Query parameters by the name of their dimension. */
export const FILTER_DIMENSIONS = [
  'country',
  'referrer',
  'utmSource',
  'utmMedium',
  'utmCampaign',
  'method',
  'platformVersion',
  'appVersion',
  'network',
  'networkCampaign',
] as const satisfies readonly Dimension[];
export type FilterDimension = (typeof FILTER_DIMENSIONS)[number];

/** Filters of their own, whose empty value is one by a dimension. */
const OF_SCOPE = { link: 'shortCode', campaign: 'campaignId' } as const;
type ScopeDimension = keyof typeof OF_SCOPE;

export interface DimensionFilter {
  readonly dimension: FilterDimension | ScopeDimension;
  /** As stored; null for records without a value. */
  readonly values: readonly string[] | null;
  /** Records of this network alone that have no campaign: its cells less those of its campaigns. */
  readonly withoutCampaign?: string;
  /** The costs of a network, or of its campaigns with an ID; of any network if null. */
  readonly costs?: { readonly network: string | null; readonly campaignId: string | null };
}

/** What cells can be grouped by beside a filter. */
const BESIDE_FILTER: readonly GroupBy[] = ['link', 'campaign', 'platform'];
/** A campaign's value names its network. */
const OF_NETWORKS: readonly GroupBy[] = ['network', 'networkCampaign'];

interface Input extends Readonly<Partial<Record<FilterDimension, string | undefined>>> {
  readonly shortCode?: string | undefined;
  readonly campaignId?: string | undefined;
}

/** @throws AppError `request.invalid` for a combination that no cells have. */
export function readDimensionFilter(input: Input, groupBy: readonly GroupBy[]): DimensionFilter | null {
  const given = [
    ...FILTER_DIMENSIONS.filter((dimension) => input[dimension] !== undefined),
    ...scopesOf(input),
  ];
  const { network, networkCampaign } = input;
  const isNested = network !== undefined && networkCampaign !== undefined;
  const [dimension, second] = isNested ? given.filter((each) => each !== 'network') : given;
  if (dimension === undefined) return null;
  if (second !== undefined)
    throw invalid(
      `Statistics are not counted by ${nameOf(dimension)} and ${nameOf(second)} together. Give one of ${FILTER_DIMENSIONS.join(', ')}; it combines with shortCode, campaignId, platform and sandbox. Lists and exports take several.`,
    );
  const isOfNetworks =
    dimension.startsWith('network') && (isNested || input[dimension as FilterDimension] !== '');
  const beside = [...BESIDE_FILTER, ...(isOfNetworks ? OF_NETWORKS : [dimension])];
  const wrong = groupBy.find((each) => !beside.includes(each));
  if (wrong !== undefined)
    throw invalid(
      `Statistics are not counted by ${wrong} and ${nameOf(dimension)} together. With ${nameOf(dimension)}, groupBy takes ${[...new Set(beside)].join(', ')}.`,
    );
  if (dimension === 'link') return { dimension, values: [NONE] };
  const text = dimension === 'campaign' ? '' : input[dimension];
  if (!text) return withoutValue(dimension, network);
  if (dimension === 'network')
    return { dimension, values: [toValue(text)], costs: { network: text, campaignId: null } };
  if (dimension !== 'networkCampaign') return { dimension, values: [toValue(text)] };
  const networks = network === undefined ? NETWORKS : [network];
  return {
    dimension,
    values: networks.map((each) => toValue(toNetworkCampaign(each, text))),
    costs: { network: network ?? null, campaignId: text },
  };
}

/** @param network of `networkCampaign`. Records without a network have no campaign of one. */
function withoutValue(dimension: DimensionFilter['dimension'], network: string | undefined): DimensionFilter {
  if (dimension !== 'networkCampaign' || network === undefined) return { dimension, values: null };
  if (network === '') return { dimension: 'network', values: null };
  return { dimension: 'network', values: [toValue(network)], withoutCampaign: network };
}

/** Records without a link, or without a campaign. The days of a link have its campaign, and none if it is empty. */
function scopesOf({ shortCode, campaignId }: Input): ScopeDimension[] {
  if (shortCode === '') return campaignId === '' ? ['link', 'campaign'] : ['link'];
  return shortCode === undefined && campaignId === '' ? ['campaign'] : [];
}

function nameOf(dimension: DimensionFilter['dimension']): string {
  return dimension === 'link' || dimension === 'campaign' ? `an empty ${OF_SCOPE[dimension]}` : dimension;
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
