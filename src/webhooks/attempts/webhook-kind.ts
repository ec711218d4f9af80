import type { Foundation } from '../../foundation.ts';
import { HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { headersOf, type SigningKey, signingKeysOf } from '../signature.ts';
import type { Retries, WebhookRow } from '../webhook.ts';
import { receiverOf } from './receiver.ts';
import type { ReceiverKind, Target } from './receiver-kind.ts';

const MAX_RESPONSE_BYTES = 16 * 1024;
/** Delays after a failure, by the contract. The third attempt is the last, so its 25 s do not apply. */
const STANDARD_MS = [SECOND_MS, 5 * SECOND_MS];
/** Twelve attempts within three days. */
const EXTENDED_MS = [
  ...STANDARD_MS,
  ...[5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS],
  ...Array.from({ length: 4 }, () => 12 * HOUR_MS),
];
const DELAYS_MS: Readonly<Record<Retries, readonly number[]>> = {
  standard: STANDARD_MS,
  extended: EXTENDED_MS,
};

/** The least delay after so many failed attempts; null after the last. */
export function delayOf(retries: Retries, failedAttempts: number): number | null {
  return DELAYS_MS[retries][failedAttempts - 1] ?? null;
}

/** The audit action of a message whose attempts for a webhook all failed. */
export const DELIVERY_FAILED = 'webhook.delivery_failed';

/** Signs the stored bytes and posts them. */
export function createWebhookKind(deps: Pick<Foundation, 'clock' | 'secrets'>): ReceiverKind {
  return {
    receiverOf,
    open(webhook) {
      const keys = signingKeysOf(deps, webhook);
      return keys === null ? null : openWebhook(deps, webhook, keys);
    },
  };
}

function openWebhook(
  { clock }: Pick<Foundation, 'clock'>,
  { url, retries }: WebhookRow,
  keys: readonly SigningKey[],
): Target {
  return {
    maxInFlight: null,
    failedAction: DELIVERY_FAILED,
    async toCall(message) {
      const body = Buffer.from(message.body);
      const headers = headersOf({ clock }, keys, message, body);
      return { url, headers, body, maxResponseBytes: MAX_RESPONSE_BYTES };
    },
    retryDelayMs: (_result, failedAttempts) => delayOf(retries as Retries, failedAttempts),
  };
}
