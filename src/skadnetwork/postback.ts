import type { Selectable } from 'kysely';
import type { PostbacksTable } from '../db/index.ts';
import { normaliseAddress } from '../lib/address.ts';
import { NO_APP } from '../lib/ids.ts';
import type { Fields } from './verification/index.ts';

export type PostbackRow = Selectable<PostbacksTable>;

/** Also the app id of postbacks whose App Store id belongs to no app. Only the operator sees them. */
export { NO_APP };

/** Unproven postbacks are dropped after this many days. */
export const UNPROVEN_KEPT_DAYS = 30;

const MAX_UNPROVEN_BODY_BYTES = 1_024;

/** Apple's claims have at most about 40. */
const MAX_UNPROVEN_CLAIM_BYTES = 64;

/** Whether Apple signed a postback and an app has its App Store id. Any client can send any number of others. */
export function isProven({ app_id, verdict }: Pick<PostbackRow, 'app_id' | 'verdict'>): boolean {
  return verdict === 'verified' && app_id !== NO_APP;
}

/** Bounds the size of an unproven postback: drops long claims and, counted in `fields_left_out`, fields that do not fit. */
export function cutUnproven(postback: PostbackRow): PostbackRow {
  return {
    ...postback,
    ...cutBody(postback.body),
    ad_network_id: cutClaim(postback.ad_network_id),
    transaction_id: cutClaim(postback.transaction_id),
    source_identifier: cutClaim(postback.source_identifier),
    conversion_type: cutClaim(postback.conversion_type),
  };
}

function cutClaim(claim: string | null): string | null {
  return claim !== null && Buffer.byteLength(claim) > MAX_UNPROVEN_CLAIM_BYTES ? null : claim;
}

function cutBody(body: string): Pick<PostbackRow, 'body' | 'fields_left_out'> {
  if (Buffer.byteLength(body) <= MAX_UNPROVEN_BODY_BYTES) return { body, fields_left_out: 0 };
  const fields = Object.entries(fieldsOf({ body }));
  const kept: Record<string, unknown> = {};
  let bytes = '{}'.length;
  for (const [name, value] of fields) {
    const fieldBytes = Buffer.byteLength(`${JSON.stringify(name)}:${JSON.stringify(value)},`);
    if (bytes + fieldBytes > MAX_UNPROVEN_BODY_BYTES) continue;
    kept[name] = value;
    bytes += fieldBytes;
  }
  return { body: JSON.stringify(kept), fields_left_out: fields.length - Object.keys(kept).length };
}

/** A phone, or an ad network that forwards a copy. */
export const SENDERS = ['device', 'network'] as const;
export type Sender = (typeof SENDERS)[number];

/** The lowest first. */
export const COARSE_VALUES = ['low', 'medium', 'high'] as const;
export type CoarseValue = (typeof COARSE_VALUES)[number];

/** Apple's conversion windows: days 0 to 2, 3 to 7 and 8 to 35 after the first start. */
export const WINDOWS = 3;

/** Apple's fine values are 0 to 63. */
export const MAX_CONVERSION_VALUE = 63;

/**
 * Values that Apple sends unsigned; null if absent or invalid.
 * developer.apple.com/documentation/storekit/identifying-the-parameters-in-install-validation-postbacks.
 */
export function unsignedValuesOf(fields: Fields) {
  const { 'conversion-value': fine, 'coarse-conversion-value': coarse, 'country-code': country } = fields;
  const isFine = Number.isInteger(fine) && Number(fine) >= 0 && Number(fine) <= MAX_CONVERSION_VALUE;
  return {
    conversionValue: isFine ? Number(fine) : null,
    coarseConversionValue: COARSE_VALUES.find((value) => value === coarse) ?? null,
    countryCode: typeof country === 'string' && /^[A-Za-z]{2}$/.test(country) ? country : null,
  };
}

/** For forwarding; see `parseExactly`. */
export function fieldsOf({ body }: Pick<PostbackRow, 'body'>): Fields {
  return parseExactly(body) as Fields;
}

/** Replaces IP addresses, which some networks add, with null: no erasure would find them. Other text is unchanged. */
export function withoutAddresses(body: string): string {
  return body.replace(STRINGS, (string, text: string, colon = '') => {
    if (!holdsAddress(JSON.parse(text))) return string;
    return colon === '' ? 'null' : `""${colon}`;
  });
}

/** Matches every string of a JSON text, duplicate fields included; a name with its colon. */
const STRINGS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** Also a comma-separated list, as proxies write. */
function holdsAddress(text: string): boolean {
  return text.split(',').some((part) => normaliseAddress(part) !== null);
}

/** Types of “JSON.parse source text access” (ECMAScript 2026), which TypeScript's library lacks. */
const exactJson = JSON as unknown as {
  parse(
    text: string,
    reviver: (key: string, value: unknown, context: { readonly source?: string }) => unknown,
  ): unknown;
  rawJSON(text: string): unknown;
};

/**
 * Parses JSON so that `JSON.stringify` writes every number as in the source: large ids would lose their last digits. A
 * number that differs in JavaScript becomes an opaque object.
 */
function parseExactly(text: string): unknown {
  return exactJson.parse(text, (_key, value, { source }) => {
    const isChanged = typeof value === 'number' && source !== undefined && String(value) !== source;
    return isChanged ? exactJson.rawJSON(source) : value;
  });
}
