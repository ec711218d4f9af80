import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';

const STANDARD_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** A secret as key objects. Creating them costs more than a signature, so one serves many. */
export interface SigningKey {
  readonly service: KeyObject;
  readonly standard: KeyObject;
}

/** @param secret in plain text. */
export function signingKeyOf(secret: string): SigningKey {
  const bytes = Buffer.from(secret);
  return { service: createSecretKey(bytes), standard: createSecretKey(standardBytes(secret) ?? bytes) };
}

/** Decodes a secret in the form of Standard Webhooks; null for any other. */
function standardBytes(secret: string): Buffer | null {
  const encoded = secret.startsWith(STANDARD_PREFIX) ? secret.slice(STANDARD_PREFIX.length) : '';
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : null;
}

/** The contract's `X-Service-Signature`: hex HMAC-SHA256 of the body, keyed with the bytes of the secret. */
export function serviceSignature(key: SigningKey, body: Buffer): string {
  return createHmac('sha256', key.service).update(body).digest('hex');
}

/**
 * `webhook-signature` of Standard Webhooks 1.0.0: one `v1,<base64>` for each key, HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`.
 * @param keys the newest first; two during a rotation.
 */
export function standardSignature(
  keys: readonly SigningKey[],
  { messageId, timestamp, body }: { messageId: string; timestamp: string; body: Buffer },
): string {
  return keys
    .map(({ standard }) => {
      const mac = createHmac('sha256', standard).update(`${messageId}.${timestamp}.`);
      return `v1,${mac.update(body).digest('base64')}`;
    })
    .join(' ');
}
