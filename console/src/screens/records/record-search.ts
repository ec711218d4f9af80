import { platformOf } from '../../formats.ts';
import type { Search } from '../../search.ts';

export const RECORD_FILTERS = [
  ...(['from', 'to', 'before', 'shortCode', 'campaignId', 'platform', 'country', 'sandbox'] as const),
  ...(['method', 'installId', 'eventName', 'userId', 'visitor'] as const),
] as const;

export type RecordSearch = Search<(typeof RECORD_FILTERS)[number]>;

type Common = 'from' | 'to' | 'before' | 'shortCode' | 'campaignId' | 'country';

/** The filters that all lists of records share, as the API takes them. */
export function commonQuery(search: RecordSearch) {
  const texts: { [Key in Common]?: string } = {};
  for (const key of ['from', 'to', 'before', 'shortCode', 'campaignId', 'country'] as const) {
    const value = search[key];
    if (value !== undefined) texts[key] = value;
  }
  return {
    ...texts,
    limit: 50,
    ...platformOf(search.platform),
    ...(search.sandbox === 'true' && { sandbox: 'true' as const }),
  };
}
