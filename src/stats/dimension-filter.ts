/** A filter by a value of a dimension. Cells have one dimension each, so statistics take one such filter. */
import { AppError } from '../errors.ts';
import { type Dimension, toValue } from './dimensions.ts';
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

export interface DimensionFilter {
  readonly dimension: FilterDimension;
  /** As stored; null for records without a value. */
  readonly value: string | null;
}

/** What cells can be grouped by beside a filter. */
const BESIDE_FILTER: readonly GroupBy[] = ['link', 'campaign', 'platform'];

/** @throws AppError `request.invalid` for a combination that no cells have. */
export function readDimensionFilter(
  input: { readonly [D in FilterDimension]?: string | undefined },
  groupBy: readonly GroupBy[],
): DimensionFilter | null {
  const given = FILTER_DIMENSIONS.filter((dimension) => input[dimension] !== undefined);
  const [dimension, second] = given;
  if (dimension === undefined) return null;
  if (second !== undefined)
    throw invalid(
      `Statistics are not counted by ${dimension} and ${second} together. Give one of ${FILTER_DIMENSIONS.join(', ')}; it combines with shortCode, campaignId, platform and sandbox. Lists and exports take several.`,
    );
  const wrong = groupBy.find((each) => each !== dimension && !BESIDE_FILTER.includes(each));
  if (wrong !== undefined)
    throw invalid(
      `Statistics are not counted by ${wrong} and ${dimension} together. With ${dimension}, groupBy takes ${BESIDE_FILTER.join(', ')} and ${dimension}.`,
    );
  const text = input[dimension];
  return { dimension, value: text ? toValue(text) : null };
}

function invalid(message: string): AppError {
  return new AppError('request.invalid', { message });
}
