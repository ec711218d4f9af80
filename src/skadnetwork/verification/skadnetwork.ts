/**
 * SKAdNetwork: Apple signs some of the fields, joined in the order of the version.
 * developer.apple.com/documentation/storekit: combining-parameters-for-previous-skadnetwork-postback-versions,
 * combining-parameters-for-skadnetwork-3-postbacks, verifying-an-install-validation-postback.
 */
import { verify } from 'node:crypto';
import type { AppleKeys } from './apple-keys.ts';
import { type Fields, type FieldType, faultOf, readField, SEPARATOR } from './fields.ts';
import type { Claims, Verification } from './verdict.ts';

const TYPES = {
  version: 'string',
  'ad-network-id': 'string',
  'campaign-id': 'integer',
  'source-identifier': 'string',
  'app-id': 'integer',
  'transaction-id': 'string',
  redownload: 'boolean',
  'source-app-id': 'integer',
  'source-domain': 'string',
  'fidelity-type': 'integer',
  'did-win': 'boolean',
  'postback-sequence-index': 'integer',
} as const satisfies Record<string, FieldType>;
type SignedField = keyof typeof TYPES;

/** Joined if present. In tests, `source-app-id` is 0, which counts as present. */
const OPTIONAL: ReadonlySet<SignedField> = new Set(['source-app-id', 'source-domain']);

interface Version {
  readonly curve: 'p192' | 'p256';
  readonly signed: readonly SignedField[];
}

const SIGNED_1_0: readonly SignedField[] = ['ad-network-id', 'campaign-id', 'app-id', 'transaction-id'];
const SIGNED_2_0: readonly SignedField[] = ['version', ...SIGNED_1_0, 'redownload', 'source-app-id'];
const SIGNED_2_2: readonly SignedField[] = [...SIGNED_2_0, 'fidelity-type'];
const SIGNED_4_0: readonly SignedField[] = [
  'version',
  'ad-network-id',
  'source-identifier',
  'app-id',
  'transaction-id',
  'redownload',
  'source-app-id',
  'source-domain',
  'fidelity-type',
  'did-win',
  'postback-sequence-index',
];

const FIRST_VERSION = '1.0';
/** Bounds the stored version and the reason that names it. */
const MAX_VERSION_CHARACTERS = 16;
const VERSIONS: ReadonlyMap<string | null, Version> = new Map([
  [FIRST_VERSION, { curve: 'p192', signed: SIGNED_1_0 }],
  ['2.0', { curve: 'p192', signed: SIGNED_2_0 }],
  ['2.1', { curve: 'p256', signed: SIGNED_2_0 }],
  ['2.2', { curve: 'p256', signed: SIGNED_2_2 }],
  ['3.0', { curve: 'p256', signed: [...SIGNED_2_2, 'did-win'] }],
  ['4.0', { curve: 'p256', signed: SIGNED_4_0 }],
]);

/** Verifies a postback. The claims are read only from the fields that its version signs. */
export function verifySkadnetwork(keys: AppleKeys, fields: Fields): Verification {
  const name = versionOf(fields);
  const version = VERSIONS.get(name);
  const claims = claimsOf(fields, name);
  if (name === null)
    return { verdict: 'invalid', reason: 'version must be a short string, such as "4.0".', claims };
  if (version === undefined)
    return { verdict: 'unverifiable', reason: `Unknown SKAdNetwork version ${name}.`, claims };
  const fault = faultIn(fields, version);
  if (fault !== null) return { verdict: 'invalid', reason: fault, claims };

  const key = keys[version.curve]();
  if (key === null)
    return {
      verdict: 'unverifiable',
      reason: `This runtime does not support the curve P-192, which signs SKAdNetwork ${name}.`,
      claims,
    };
  const signature = Buffer.from(String(fields[SIGNATURE]), 'base64');
  return verify('sha256', Buffer.from(signedText(fields, version), 'utf8'), key, signature)
    ? { verdict: 'verified', reason: null, claims }
    : { verdict: 'invalid', reason: 'The signature does not match these values and Apple’s key.', claims };
}

/** The fields that the signature of a version covers; none for an unknown version. */
export function signedFieldsOf(version: string | null): readonly string[] {
  return VERSIONS.get(version)?.signed ?? [];
}

/** Version 1.0 has no version field, but copies from networks may. */
function versionOf(fields: Fields): string | null {
  if (fields.version === undefined) return FIRST_VERSION;
  const version = readField(fields, 'version', 'string');
  return version !== null && version.length <= MAX_VERSION_CHARACTERS ? version : null;
}

const SIGNATURE = 'attribution-signature';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})+(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Checked before the signature, since different fields must not join to the same text. @returns null if valid. */
function faultIn(fields: Fields, { signed }: Version): string | null {
  for (const name of signed) {
    if (OPTIONAL.has(name) && fields[name] === undefined) continue;
    const fault = faultOf(fields, name, TYPES[name]);
    if (fault !== null) return fault;
  }
  if (signed.includes('source-domain')) {
    if (fields['source-app-id'] !== undefined && fields['source-domain'] !== undefined)
      return 'Only one of source-app-id and source-domain may be present.';
    if (/^-?\d+$/.test(String(fields['source-domain']))) return 'source-domain must be a domain.';
  }
  return BASE64.test(String(fields[SIGNATURE])) ? null : `${SIGNATURE} must be base64.`;
}

function signedText(fields: Fields, { signed }: Version): string {
  return signed
    .filter((name) => fields[name] !== undefined)
    .map((name) => String(fields[name]))
    .join(SEPARATOR);
}

/** An unknown version is read like the newest one. */
function claimsOf(fields: Fields, version: string | null): Claims {
  const { signed } = VERSIONS.get(version) ?? { signed: SIGNED_4_0 };
  const values = Object.fromEntries(signed.map((name) => [name, fields[name]]));
  const isRedownload = readField(values, 'redownload', 'boolean');
  return {
    version,
    adNetworkId: readField(values, 'ad-network-id', 'string'),
    appStoreId: readField(values, 'app-id', 'integer'),
    transactionId: readField(values, 'transaction-id', 'string'),
    sequenceIndex: readField(values, 'postback-sequence-index', 'integer') ?? 0,
    sourceIdentifier: readField(values, 'source-identifier', 'string'),
    campaignId: readField(values, 'campaign-id', 'integer'),
    didWin: readField(values, 'did-win', 'boolean'),
    conversionType: isRedownload === null ? null : isRedownload ? 'redownload' : 'download',
    // Apple's testing environment sends this id (storekittest/skadtestpostback).
    isTest: readField(values, 'source-app-id', 'integer') === 0,
  };
}
