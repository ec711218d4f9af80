/**
 * AdAttributionKit: Apple signs the payload of a JWS (RFC 7515); the fields beside the JWS are unsigned.
 * developer.apple.com/documentation/adattributionkit: verifying-a-postback, identifying-the-parameters-in-a-postback.
 */
import { compactVerify, decodeProtectedHeader } from 'jose';
import { AppError } from '../../errors.ts';
import { parseJson } from '../../server/json-body.ts';
import type { AppleKeys } from './apple-keys.ts';
import { type Fields, type FieldType, faultOf, readField } from './fields.ts';
import type { Claims, Verification } from './verdict.ts';

/** Apple's only one; the header does not choose. */
const ALGORITHM = 'ES256';

/** Needed to count; Apple sends other fields depending on crowd anonymity. */
const REQUIRED: readonly (readonly [name: string, type: FieldType])[] = [
  ['postback-identifier', 'string'],
  ['ad-network-identifier', 'string'],
  ['advertised-item-identifier', 'integer'],
  ['conversion-type', 'string'],
  ['did-win', 'boolean'],
  ['postback-sequence-index', 'integer'],
];

/** Verifies a postback. The claims are read from the JWS alone, whatever the verdict. */
export async function verifyAdAttributionKit(keys: AppleKeys, fields: Fields): Promise<Verification> {
  const jws = String(fields['jws-string']);
  const payload = payloadOf(jws);
  const { alg, kid } = headerOf(jws);
  const key = keys.byKid.get(String(kid));
  const claims = claimsOf(payload ?? {}, key?.isDevelopment ?? false);
  const invalid = (reason: string): Verification => ({ verdict: 'invalid', reason, claims });

  if (payload === null) return invalid('jws-string must be a compact JWS with a JSON object as payload.');
  if (alg !== ALGORITHM) return invalid(`jws-string must be signed with ${ALGORITHM}.`);
  if (key === undefined)
    return { verdict: 'unverifiable', reason: 'Unknown kid in the header of the JWS.', claims };
  const isGenuine = await compactVerify(jws, key.key, { algorithms: [ALGORITHM] }).then(
    () => true,
    () => false,
  );
  if (!isGenuine) return invalid('The signature of the JWS does not match Apple’s key.');
  for (const [name, type] of REQUIRED) {
    const fault = faultOf(payload, name, type);
    if (fault !== null) return invalid(fault);
  }
  return { verdict: 'verified', reason: null, claims };
}

/** The payload of a JWS, without verification; null unless it is a JSON object. */
export function payloadOf(jws: string): Fields | null {
  const [, payload, signature, ...more] = jws.split('.');
  if (payload === undefined || signature === undefined || more.length > 0) return null;
  try {
    const value = parseJson(Buffer.from(payload, 'base64url'));
    return typeof value === 'object' && !Array.isArray(value) ? (value as Fields | null) : null;
  } catch (error) {
    if (error instanceof AppError) return null;
    throw error;
  }
}

function headerOf(jws: string): { alg?: unknown; kid?: unknown } {
  try {
    return decodeProtectedHeader(jws);
  } catch {
    return {};
  }
}

function claimsOf(payload: Fields, isTest: boolean): Claims {
  return {
    version: null,
    adNetworkId: readField(payload, 'ad-network-identifier', 'string'),
    appStoreId: readField(payload, 'advertised-item-identifier', 'integer'),
    transactionId: readField(payload, 'postback-identifier', 'string'),
    sequenceIndex: readField(payload, 'postback-sequence-index', 'integer') ?? 0,
    sourceIdentifier: readField(payload, 'source-identifier', 'string'),
    campaignId: null,
    didWin: readField(payload, 'did-win', 'boolean'),
    conversionType: readField(payload, 'conversion-type', 'string'),
    isTest,
  };
}
