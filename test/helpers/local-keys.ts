/** Generated keys that replace Apple's, for cases without a published example. */
import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { AppleKeys } from '../../src/skadnetwork/verification/index.ts';

export const PRODUCTION_KID = 'apple-cas-identifier/0';

const p192 = generateKeyPairSync('ec', { namedCurve: 'prime192v1' });
const p256 = generateKeyPairSync('ec', { namedCurve: 'prime256v1' });

export const LOCAL_KEYS: AppleKeys = {
  p192: () => p192.publicKey,
  p256: () => p256.publicKey,
  byKid: new Map([
    [PRODUCTION_KID, { key: p256.publicKey, isDevelopment: false }],
    ['apple-development-identifier/0', { key: p256.publicKey, isDevelopment: true }],
  ]),
};

/** Signs SKAdNetwork fields in order, with the key of version 2.1 and later or with the older key. */
export function signValues(
  values: readonly unknown[],
  key: KeyObject = p256.privateKey,
): { 'attribution-signature': string } {
  const signature = sign('sha256', Buffer.from(values.map(String).join('\u2063'), 'utf8'), key);
  return { 'attribution-signature': signature.toString('base64') };
}

export const OLD_PRIVATE_KEY = p192.privateKey;

let lastTransaction = 0;
/** A valid postback of version 4.0 with a new transaction; undefined fields are omitted. */
export function newPostback(changes: Record<string, unknown> = {}): Record<string, unknown> {
  lastTransaction += 1;
  const signed: Record<string, unknown> = {
    version: '4.0',
    'ad-network-id': 'example123.skadnetwork',
    'source-identifier': '5239',
    'app-id': 525463029,
    'transaction-id': `6aafb7a5-0170-41b5-bbe4-${String(lastTransaction).padStart(12, '0')}`,
    redownload: false,
    'source-app-id': 1234567891,
    'source-domain': undefined,
    'fidelity-type': 1,
    'did-win': true,
    'postback-sequence-index': 0,
  };
  const unsigned: Record<string, unknown> = { 'conversion-value': 20 };
  for (const [name, value] of Object.entries(changes)) (name in signed ? signed : unsigned)[name] = value;
  for (const [name, value] of Object.entries(signed)) if (value === undefined) delete signed[name];
  return { ...signed, ...unsigned, ...signValues(Object.values(signed)) };
}

const PAYLOAD = {
  'advertised-item-identifier': 525463029,
  'ad-network-identifier': 'com.example',
  'source-identifier': '4321',
  'impression-type': 'app-impression',
  'conversion-type': 'download',
  'did-win': true,
  'postback-sequence-index': 0,
  'publisher-item-identifier': 1234567891,
  'marketplace-identifier': 'com.apple.AppStore',
};

/** A JWS over a payload; valid unless the header says otherwise. */
export function newJws(
  changes: Record<string, unknown> = {},
  header: Record<string, unknown> = { kid: PRODUCTION_KID, alg: 'ES256' },
): string {
  lastTransaction += 1;
  const identifier = `3F50FE57-29AE-4861-8C0B-${String(lastTransaction).padStart(12, '0')}`;
  const payload = { 'postback-identifier': identifier, ...PAYLOAD, ...changes };
  const signed = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'));
  const signature = sign('sha256', Buffer.from(signed.join('.')), {
    key: p256.privateKey,
    dsaEncoding: 'ieee-p1363',
  });
  return [...signed, signature.toString('base64url')].join('.');
}
