/** What the ad networks share: names of events, identifiers of devices, and values as they take them. */
import { createHash } from 'node:crypto';
import type { ForwardedRecord, Identifier, Mapping, ToItem } from './destination-type.ts';
import { readPath } from './record-path.ts';
import { STANDARD_EVENT_NAMES } from './standard-event-names.ts';

type Network = 'ga4' | 'meta' | 'tiktok' | 'googleAds';

/** @returns null for an event that neither the mapping nor the network has a name for. */
export function knownName(
  record: ForwardedRecord,
  mapping: Mapping,
  { network, install, open }: { network: Network; install: string; open: string },
): string | null {
  const { events = {} } = mapping;
  if (Object.hasOwn(events, record.name)) return events[record.name] ?? null;
  if (record.kind === 'install') return install;
  if (record.kind === 'open') return open;
  return STANDARD_EVENT_NAMES[record.name]?.[network] ?? null;
}

/** Letters or signs that a network does not take would be lost, or the end: a mark keeps two names apart. */
const MARK_CHARACTERS = 6;

/**
 * @param forbidden matches runs of characters that the network does not take; each becomes an underscore.
 * @param prefix before a name that the network would refuse without it.
 */
export function toValidName(
  name: string,
  { forbidden, maxCharacters, prefix = '' }: { forbidden: RegExp; maxCharacters: number; prefix?: string },
): string {
  const allowed = `${prefix}${name.toWellFormed().replace(forbidden, '_')}`;
  const characters = [...allowed];
  const telling = tellingOf(name);
  const isKept = telling !== '' && tellingOf(allowed) === `${tellingOf(prefix)}${telling}`;
  if (characters.length <= maxCharacters && isKept) return allowed;
  const kept = characters.slice(0, maxCharacters - MARK_CHARACTERS - 1).join('');
  return `${kept}_${sha256(name).slice(0, MARK_CHARACTERS)}`;
}

/** All but the signs that people use between words. */
function tellingOf(text: string): string {
  return text.replace(/[^0-9A-Za-z\u{80}-\u{10ffff}]+/gu, '');
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

const DEVICE_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
/** Phones give zeros to apps that must not track. */
const ZEROS = /^[0-]+$/;

/** @returns null for another form: one phone's nonsense would have a network refuse the whole call. */
function deviceId(text: string | undefined): string | null {
  const id = text?.trim() ?? '';
  return DEVICE_ID.test(id) && !ZEROS.test(id) ? id : null;
}

export function advertisingIdOf({ identifiers, platform }: ForwardedRecord): string | null {
  const id = deviceId(identifiers.advertisingId);
  if (id === null || platform === 'other') return null;
  return platform === 'ios' ? id.toUpperCase() : id.toLowerCase();
}

/** Of iOS alone. */
export function vendorIdOf({ identifiers, platform }: ForwardedRecord): string | null {
  return platform === 'ios' ? deviceId(identifiers.vendorId) : null;
}

/** Why products that count by events leave a record out: it would count a second time, or without its amount. */
export const REPEATED = 'The transaction was counted with an event before.';

/**
 * @param platform of the config, if the network's ID stands for the app of one.
 * @returns why the record is left out; null if the network may take it.
 */
export function whyNotMeant(
  record: ForwardedRecord,
  { title, platform }: { title: string; platform?: 'ios' | 'android' | undefined },
): string | null {
  if (record.platform === 'other')
    return `${title} takes app events of iOS and Android only; this install is of neither.`;
  if (platform !== undefined && platform !== record.platform)
    return `This destination is of the ${platform} app. Make another for ${record.platform}.`;
  if (record.repeatsTransaction) return REPEATED;
  return isRefund(record) ? `${title} takes no refunds.` : null;
}

export function lacking(missingIdentifier: Identifier, unsendable: string): ToItem<never> {
  return { unsendable, missingIdentifier };
}

export function isRefund({ revenue }: ForwardedRecord): boolean {
  return revenue?.amount.startsWith('-') ?? false;
}

const CURRENCIES: ReadonlySet<string> = new Set(Intl.supportedValuesOf('currency'));

/** Whether ISO 4217 has the code: a network refuses all of a call for one that it does not know. */
export function isCurrency(code: string): boolean {
  return CURRENCIES.has(code);
}

/**
 * What was earned; else what the event is worth by its properties. The number has the digits of the text: JSON writes the
 * shortest decimal that is read back as the same number.
 */
export function worthOf(record: ForwardedRecord): { value: number; currency: string } | null {
  const { revenue, properties } = record;
  if (revenue !== null)
    return isCurrency(revenue.currency)
      ? { value: Number(revenue.amount), currency: revenue.currency }
      : null;
  const value = numberOf(properties.value);
  const currency = textOf(properties.currency)?.toUpperCase() ?? '';
  return value === null || value < 0 || !isCurrency(currency) ? null : { value, currency };
}

/** A number, or a decimal as text. */
export function numberOf(value: unknown): number | null {
  const isDecimal = typeof value === 'string' && /^-?\d{1,30}(\.\d{1,30})?$/.test(value);
  return isDecimal || typeof value === 'number' ? Number(value) : null;
}

/** @returns null for what is no text or number, or empty. Half a surrogate pair would have a parser refuse the call. */
export function textOf(value: unknown): string | null {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && value !== '' ? value.toWellFormed() : null;
}

/** What a field that may be mapped holds; null if it is not mapped and has no source of its own. */
export function mappedValue<Name extends string>(
  record: ForwardedRecord,
  name: Name,
  { mappable, mapping }: { mappable: Readonly<Record<Name, string>>; mapping: Mapping },
): unknown {
  const source = mapping.fields?.[name] ?? mappable[name];
  return source === '' ? null : readPath(record, source);
}

/** A choice of the person: true, 1, `granted` and `authorized` are consent; null for what is no answer. */
export function consentOf(value: unknown): boolean | null {
  if (typeof value === 'boolean') return value;
  const text = textOf(value)?.toLowerCase() ?? '';
  if (['1', 'true', 'yes', 'granted', 'authorized'].includes(text)) return true;
  return ['0', 'false', 'no', 'denied', 'restricted'].includes(text) ? false : null;
}

export function secondsOf({ occurredAt }: ForwardedRecord): number {
  return Math.floor(Date.parse(occurredAt) / 1_000);
}

/** Encoded as a preview looks for secrets; a form would encode some of their characters otherwise. */
export function withQuery(url: string, query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(
    ([name, value]) => `${name}=${encodeURIComponent(value.toWellFormed())}`,
  );
  return `${url}?${pairs.join('&')}`;
}
