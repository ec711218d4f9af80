import { createHmac } from 'node:crypto';

const STANDARD_PREFIX = 'whsec_';
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/** Hex HMAC-SHA256 of the body, keyed with the secret as it was given: the contract's `X-Service-Signature`. */
export function serviceSignature(secret: string, body: Buffer): string {
  return createHmac('sha256', secret).update(body).digest('hex');
}

/**
 * `webhook-signature` of Standard Webhooks 1.0.0: one `v1,<base64>` for each secret, HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`.
 * @param secrets the newest first; while one is being rotated, two are valid.
 */
export function standardSignature(
  secrets: readonly string[],
  { messageId, timestamp, body }: { messageId: string; timestamp: string; body: Buffer },
): string {
  return secrets
    .map((secret) => {
      const mac = createHmac('sha256', standardKey(secret)).update(`${messageId}.${timestamp}.`);
      return `v1,${mac.update(body).digest('base64')}`;
    })
    .join(' ');
}

/** A secret in the form of Standard Webhooks is decoded; any other one is taken as it is. */
function standardKey(secret: string): Buffer {
  const encoded = secret.startsWith(STANDARD_PREFIX) ? secret.slice(STANDARD_PREFIX.length) : '';
  return encoded !== '' && BASE64.test(encoded) ? Buffer.from(encoded, 'base64') : Buffer.from(secret);
}
