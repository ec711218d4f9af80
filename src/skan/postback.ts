import { normaliseAddress } from '../platform/address.ts';
import type { PostbacksTable } from '../platform/db/index.ts';
import { parseExactly } from './exact-json.ts';
import type { Fields, Kind, Verdict } from './verification/index.ts';

export type PostbackRow = PostbacksTable;

/** Stands for the app of postbacks whose App Store id no app here has. Only the operator sees them. */
export const NO_APP = '00000000-0000-0000-0000-000000000000';

/** Unproven postbacks are dropped after this many days. */
export const UNPROVEN_KEPT_DAYS = 30;

/** Of an unproven postback, at most this much of the body is kept, in UTF-8. */
const MAX_UNPROVEN_BODY_BYTES = 1_024;

/** Claims of an unproven postback are not kept if they are longer. Apple's have at most 40 or so. */
const MAX_UNPROVEN_CLAIM_BYTES = 64;

/** Whether a postback is signed by Apple and of an app here. Anybody can send any number of others. */
export function isProven({ app_id, verdict }: Pick<PostbackRow, 'app_id' | 'verdict'>): boolean {
  return verdict === 'verified' && app_id !== NO_APP;
}

/**
 * What is stored of an unproven postback: a bounded part, since anybody can send it. Fields that do not fit are left out
 * whole, so that the body stays JSON, and are counted in `fields_left_out`.
 */
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
  const fields = Object.entries(parseExactly(body) as Fields);
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

/** Who sent it: the phone, or a network that passes on a copy of what it got. */
export const SENDERS = ['device', 'network'] as const;
export type Sender = (typeof SENDERS)[number];

/** Apple's, the lowest first. */
export const COARSE_VALUES = ['low', 'medium', 'high'] as const;
export type CoarseValue = (typeof COARSE_VALUES)[number];

/** Apple's conversion windows: days 0 to 2, 3 to 7 and 8 to 35 after the first start. A postback's index counts them. */
export const WINDOWS = 3;

/** Of Apple's fine values, which begin with 0. */
export const MAX_CONVERSION_VALUE = 63;

/** What Apple sends beside what it signs. Null where it withheld a value, nobody set one, or it is none: not 0. */
interface UnsignedValues {
  readonly conversionValue: number | null;
  readonly coarseConversionValue: CoarseValue | null;
  readonly countryCode: string | null;
}

/** developer.apple.com/documentation/storekit/identifying-the-parameters-in-install-validation-postbacks. */
export function unsignedValuesOf(fields: Fields): UnsignedValues {
  const { 'conversion-value': fine, 'coarse-conversion-value': coarse, 'country-code': country } = fields;
  const isFine = Number.isInteger(fine) && Number(fine) >= 0 && Number(fine) <= MAX_CONVERSION_VALUE;
  return {
    conversionValue: isFine ? Number(fine) : null,
    coarseConversionValue: COARSE_VALUES.find((value) => value === coarse) ?? null,
    countryCode: typeof country === 'string' && /^[A-Za-z]{2}$/.test(country) ? country : null,
  };
}

/** To be passed on as they came: see `parseExactly`. */
export function fieldsOf({ body }: Pick<PostbackRow, 'body'>): Fields {
  return parseExactly(body) as Fields;
}

/**
 * Some networks add the address that a phone sent from: nobody needs it, and no erasure would find it. It becomes null;
 * all else stays as it came.
 */
export function withoutAddresses(body: string): string {
  return body.replace(STRINGS, (string, text: string, colon = '') => {
    if (!holdsAddress(JSON.parse(text))) return string;
    return colon === '' ? 'null' : `""${colon}`;
  });
}

/** Every string of a JSON text, also of a field that comes again later; with the colon after it, where it is a name. */
const STRINGS = /("[^"\\]*(?:\\.[^"\\]*)*")(\s*:)?/g;

/** One, or several with commas, as proxies write those that they passed on. */
function holdsAddress(text: string): boolean {
  return text.split(',').some((part) => normaliseAddress(part) !== null);
}

/** Nothing else is stored. */
export function kindOf({ kind }: Pick<PostbackRow, 'kind'>): Kind {
  return kind as Kind;
}

/** Nothing else is stored. */
export function verdictOf({ verdict }: Pick<PostbackRow, 'verdict'>): Verdict {
  return verdict as Verdict;
}
