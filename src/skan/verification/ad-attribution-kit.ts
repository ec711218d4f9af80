/**
 * AdAttributionKit: what Apple signs is the payload of a JWS (RFC 7515), beside which values stand that are not signed.
 * developer.apple.com/documentation/adattributionkit: verifying-a-postback, identifying-the-parameters-in-a-postback.
 */
import { compactVerify, decodeProtectedHeader } from 'jose';
import { AppError } from '../../platform/errors.ts';
import { parseJson } from '../../platform/http/json-body.ts';
import type { AppleKeys } from './apple-keys.ts';
import { booleanOf, type Fields, type FieldType, faultOf, integerOf, textOf } from './fields.ts';
import type { Claims, Verification } from './verdict.ts';

/** The only one that Apple uses: none is taken from the header. */
const ALGORITHM = 'ES256';

/** What counting takes; the others depend on how much of a crowd Apple saw. */
const REQUIRED: readonly (readonly [name: string, type: FieldType])[] = [
  ['postback-identifier', 'string'],
  ['ad-network-identifier', 'string'],
  ['advertised-item-identifier', 'integer'],
  ['conversion-type', 'string'],
  ['did-win', 'boolean'],
  ['postback-sequence-index', 'integer'],
];

/** Verifies a postback; what it says is read from the JWS alone, whatever the verdict. */
export async function verifyAdAttributionKit(keys: AppleKeys, fields: Fields): Promise<Verification> {
  const jws = String(fields['jws-string']);
  const payload = payloadOf(jws);
  const { alg, kid } = headerOf(jws);
  const key = keys.byKid.get(String(kid));
  const claims = claimsOf(payload ?? {}, key?.isDevelopment ?? false);
  const invalid = (reason: string): Verification => ({ verdict: 'invalid', reason, claims });

  if (payload === null) return invalid('jws-string must be a compact JWS with a JSON object in it.');
  if (alg !== ALGORITHM) return invalid(`jws-string must be signed with ${ALGORITHM}.`);
  if (key === undefined)
    return { verdict: 'unverifiable', reason: 'The kid of the JWS names no key that is known here.', claims };
  const isGenuine = await compactVerify(jws, key.key, { algorithms: [ALGORITHM] }).then(
    () => true,
    () => false,
  );
  if (!isGenuine) return invalid('The signature of the JWS is not Apple’s.');
  for (const [name, type] of REQUIRED) {
    const fault = faultOf(payload, name, type);
    if (fault !== null) return invalid(fault);
  }
  return { verdict: 'verified', reason: null, claims };
}

/** What a JWS says, verified or not; null where it holds no JSON object. */
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
    adNetworkId: textOf(payload, 'ad-network-identifier'),
    appStoreId: integerOf(payload, 'advertised-item-identifier'),
    transactionId: textOf(payload, 'postback-identifier'),
    sequenceIndex: integerOf(payload, 'postback-sequence-index') ?? 0,
    sourceIdentifier: textOf(payload, 'source-identifier'),
    campaignId: null,
    didWin: booleanOf(payload, 'did-win'),
    conversionType: textOf(payload, 'conversion-type'),
    isTest,
  };
}
