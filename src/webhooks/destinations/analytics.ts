/** What the analytics products share: names of events, who did it, and what is known of the install. */
import { REPEATED, textOf } from './ads.ts';
import type { ForwardedRecord, Mapping, ToItem } from './destination-type.ts';

/** As attribution providers call them, so that they differ from what the products’ own SDKs send at a start. */
const INSTALL = 'Install Attributed';
const OPEN = 'Deep Link Opened';
const OPEN_WITHOUT_LINK = 'Application Opened';

export function eventName({ kind, name, attribution }: ForwardedRecord, { events = {} }: Mapping): string {
  if (Object.hasOwn(events, name)) return events[name] ?? name;
  if (kind === 'event') return name.toWellFormed();
  if (kind === 'install') return INSTALL;
  return attribution.method === 'ORGANIC' ? OPEN_WITHOUT_LINK : OPEN;
}

/**
 * @param name by `eventName`.
 * @param reserved matches the names that the product keeps for itself.
 * @returns why the record is not sent; null if the product may take it.
 */
export function whyNotTaken(
  { repeatsTransaction }: ForwardedRecord,
  name: string,
  { title, reserved }: { title: string; reserved: RegExp },
): ToItem<never> | null {
  if (repeatsTransaction) return { leftOut: REPEATED };
  if (!reserved.test(name)) return null;
  return {
    unsendable: `${title} keeps names such as “${name}” for itself. Map the event to another name.`,
  };
}

/** As the products’ own SDKs spell them. */
export const SYSTEMS = { ios: 'iOS', android: 'Android', other: null } as const;

/** The app's bundle ID or package. */
export function namespaceOf({ app, platform }: ForwardedRecord): string | null {
  return { ios: app.iosBundleId, android: app.androidPackage, other: null }[platform];
}

/**
 * @param placeholders what the product refuses, or would take for one person, in lower case.
 * @returns null for a blank text or a placeholder.
 */
export function identifierOf(value: unknown, placeholders: ReadonlySet<string> = new Set()): string | null {
  const text = textOf(value);
  return text === null || text.trim() === '' || placeholders.has(text.toLowerCase()) ? null : text;
}

/**
 * An event's own properties, or how the install or the open came about.
 * @param transaction the product's name for the ID of a transaction, which a property of that name goes before.
 */
export function recordProperties(
  record: ForwardedRecord,
  transaction = 'transaction_id',
): Record<string, unknown> {
  if (record.kind !== 'event') return { provider: 'Throughline', ...attributionProperties(record) };
  const { transactionId, properties } = record;
  return { ...present({ [transaction]: textOf(transactionId) }), ...wellFormed(properties) };
}

/** What is known of the person; empty for an open, whose attribution says nothing of the install's. */
export function personProperties(record: ForwardedRecord): Record<string, string> {
  return record.kind === 'open' ? {} : attributionProperties(record);
}

/** Revenue by the names that the products share. */
export function revenueProperties({ revenue }: ForwardedRecord): Record<string, unknown> {
  return revenue === null ? {} : { revenue: Number(revenue.amount), currency: revenue.currency };
}

/** Leaves out what a person with an app's public key must not set with the product. */
export function withoutReserved(
  properties: Readonly<Record<string, unknown>>,
  reserved: readonly string[],
): Record<string, unknown> {
  const entries = Object.entries(properties);
  return Object.fromEntries(entries.filter(([name]) => !name.startsWith('$') && !reserved.includes(name)));
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
  const left: Record<string, T> = {};
  // A loop, since it runs several times for each record that is sent.
  for (const [name, value] of Object.entries(fields))
    if (value !== null && value !== undefined) left[name] = value;
  return left;
}

/** Half a surrogate pair as JSON writes it, or the backslash before which it would be plain text. */
const LONE_SURROGATE = /\\(\\|ud[89a-f][0-9a-f]{2})/g;

/** Parsers of some receivers refuse a whole call for half a surrogate pair in it. */
function wellFormed(properties: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json = JSON.stringify(properties);
  const repaired = json.replace(LONE_SURROGATE, (match) => (match === '\\\\' ? match : '\ufffd'));
  return json === repaired ? { ...properties } : JSON.parse(repaired);
}
