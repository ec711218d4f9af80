import type { ListInstallsData } from '@generated/types.gen.ts';
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

export function methodQuery({
  method,
}: RecordSearch): Pick<NonNullable<ListInstallsData['query']>, 'method'> {
  const known = (['INSTALL_REFERRER', 'CLICK_ID', 'FINGERPRINT', 'ORGANIC'] as const).find(
    (name) => name === method,
  );
  return known === undefined ? {} : { method: [known] };
}

export function installsQuery(search: RecordSearch) {
  return { ...commonQuery(search), ...methodQuery(search) };
}
