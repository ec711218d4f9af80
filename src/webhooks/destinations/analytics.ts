/** What the analytics products share: names of events, who did it, and what is known of the install. */
import type { ForwardedRecord, Mapping } from './destination-type.ts';
import { readPath } from './record-path.ts';

/** As attribution providers call them, so that they differ from what the products’ own SDKs send at a start. */
const INSTALL = 'Install Attributed';
const OPEN = 'Deep Link Opened';
const OPEN_WITHOUT_LINK = 'Application Opened';

export function eventName({ kind, name, attribution }: ForwardedRecord, { events = {} }: Mapping): string {
  if (Object.hasOwn(events, name)) return events[name] ?? name;
  if (kind === 'event') return name;
  if (kind === 'install') return INSTALL;
  return attribution.method === 'ORGANIC' ? OPEN_WITHOUT_LINK : OPEN;
}

/** @param mappable the type's. @returns the text of a field that may be mapped; null if the record has none. */
export function mappedText<Name extends string>(
  record: ForwardedRecord,
  name: Name,
  { mappable, mapping }: { mappable: Readonly<Record<Name, string>>; mapping: Mapping },
): string | null {
  const value = readPath(record, mapping.fields?.[name] ?? mappable[name]);
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value : null;
}

/** How the install, or the open, was matched, by the names of columns that analysts expect. */
export function attributionProperties({ attribution, network }: ForwardedRecord): Record<string, string> {
  const { utm } = attribution;
  return present({
    attribution_method: attribution.method,
    attribution_campaign_id: attribution.campaignId,
    attribution_link: attribution.shortCode,
    utm_source: utm?.source,
    utm_medium: utm?.medium,
    utm_campaign: utm?.campaign,
    ad_network: network?.name,
    ad_campaign_id: network?.campaignId,
    ad_campaign: network?.campaignName,
    ad_group_id: network?.adGroupId,
    ad_group: network?.adGroupName,
    ad_id: network?.adId,
    ad: network?.adName,
  });
}

/** The names that `attributionProperties` may have. */
export const ATTRIBUTION_PROPERTIES = [
  ...['attribution_method', 'attribution_campaign_id', 'attribution_link'],
  ...['utm_source', 'utm_medium', 'utm_campaign'],
  ...['ad_network', 'ad_campaign_id', 'ad_campaign', 'ad_group_id', 'ad_group', 'ad_id', 'ad'],
] as const;

/** Leaves out what is null or undefined. */
export function present<T>(fields: Readonly<Record<string, T | null | undefined>>): Record<string, T> {
  const entries = Object.entries(fields).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(entries) as Record<string, T>;
}
