/** A filter by a value of a dimension. Cells have one dimension each, so statistics take one such filter. */
import { AppError } from '../errors.ts';
import { type Dimension, NONE, toValue } from './dimensions.ts';
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
] as const satisfies readonly Dimension[];
export type FilterDimension = (typeof FILTER_DIMENSIONS)[number];

/** Filters of their own, whose empty value is one by a dimension. */
const OF_SCOPE = { link: 'shortCode', campaign: 'campaignId' } as const;
type ScopeDimension = keyof typeof OF_SCOPE;

export interface DimensionFilter {
  readonly dimension: FilterDimension | ScopeDimension;
  /** As stored; null for records without a value. */
  readonly value: string | null;
}

/** What cells can be grouped by beside a filter. */
const BESIDE_FILTER: readonly GroupBy[] = ['link', 'campaign', 'platform'];

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
  const [dimension, second] = given;
  if (dimension === undefined) return null;
  if (second !== undefined)
    throw invalid(
      `Statistics are not counted by ${nameOf(dimension)} and ${nameOf(second)} together. Give one of ${FILTER_DIMENSIONS.join(', ')}; it combines with shortCode, campaignId, platform and sandbox. Lists and exports take several.`,
    );
  const wrong = groupBy.find((each) => each !== dimension && !BESIDE_FILTER.includes(each));
  if (wrong !== undefined)
    throw invalid(
      `Statistics are not counted by ${wrong} and ${nameOf(dimension)} together. With ${nameOf(dimension)}, groupBy takes ${[...new Set([...BESIDE_FILTER, dimension])].join(', ')}.`,
    );
  if (dimension === 'link') return { dimension, value: NONE };
  const text = dimension === 'campaign' ? '' : input[dimension];
  return { dimension, value: text ? toValue(text) : null };
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
