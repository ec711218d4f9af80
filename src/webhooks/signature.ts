/** The headers of a webhook's requests, with its signatures. */
import { createHmac, createSecretKey, type KeyObject } from 'node:crypto';
import type { WebhookMessagesTable } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime, SECOND_MS } from '../lib/clock.ts';
import { VERSION } from '../lib/version.ts';
import { secretOwner, type WebhookRow } from './webhook.ts';

const USER_AGENT = `Throughline-Webhooks/${VERSION}`;

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

/**
 * The newest first: during a rotation the former secret signs too. Empty for a template; null if the secret cannot be
 * decrypted.
 */
export function signingKeysOf(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  webhook: WebhookRow,
): SigningKey[] | null {
  const { template, secret, former_secret: former, former_secret_until: until } = webhook;
  if (template !== null || secret === null) return [];
  const keyOf = (encrypted: string): SigningKey | null => {
    const decrypted = secrets.decrypt(encrypted, secretOwner(webhook));
    return decrypted === null ? null : signingKeyOf(decrypted);
  };
  const newest = keyOf(secret);
  if (newest === null) return null;
  const isRotating = until !== null && until > isoTime(clock.nowMs());
  const previous = isRotating && former !== null ? keyOf(former) : null;
  return previous === null ? [newest] : [newest, previous];
}

export function headersOf(
  { clock }: Pick<Foundation, 'clock'>,
  keys: readonly SigningKey[],
  { id: messageId, event_type: type, sandbox }: WebhookMessagesTable,
  body: Buffer,
): Record<string, string> {
  const timestamp = String(Math.floor(clock.nowMs() / SECOND_MS));
  const [newest] = keys;
  return {
    'content-type': 'application/json',
    'user-agent': USER_AGENT,
    'x-service-event': type,
    'webhook-id': messageId,
    'webhook-timestamp': timestamp,
    ...(sandbox === 1 && { 'x-service-sandbox': 'true' }),
    ...(newest !== undefined && {
      'x-service-signature': serviceSignature(newest, body),
      'webhook-signature': standardSignature(keys, { messageId, timestamp, body }),
    }),
  };
}
