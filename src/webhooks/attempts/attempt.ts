import type { AuditEntry } from '../../audit/index.ts';
import { toFlag } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { AttemptRow } from '../queries.ts';
import { type SigningKey, signingKeysOf } from '../signature.ts';
import { isTest, type Retries, type WebhookRow } from '../webhook.ts';
import { type DueAttempt, LEASE_MS, type LeasedAttempt, type MessageRow, toDue } from './queue.ts';
import { type Hold, type Receiver, receiverOf } from './receiver.ts';
import type { AttemptResult } from './send.ts';

/** What an attempt needs of its webhook beside the address, which is in its row. */
export interface Sending {
  readonly receiver: Receiver;
  readonly retries: Retries;
  /** Null if the secret cannot be decrypted; see `signingKeysOf`. */
  readonly keys: readonly SigningKey[] | null;
}

/** One attempt to send a message to a webhook. */
export interface Attempt extends Sending {
  /** Of its row in the log. */
  readonly id: string;
  readonly row: LeasedAttempt;
  readonly message: MessageRow;
}

/** An attempt that ended and is not yet in the log. */
export interface FinishedAttempt {
  /** Without what its webhook was if its process is gone. */
  readonly attempt: Omit<Attempt, keyof Sending> & Partial<Sending>;
  readonly result: AttemptResult;
}

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
/** Retries are spread over half of their delay, at most a minute. */
const MAX_SPREAD_MS = MINUTE_MS;
/** How often a message waits because its receiver asked for it; later ones are failures. */
const MAX_DEFERRALS = 20;

export function sendingOf(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  webhook: WebhookRow,
): Sending {
  const keys = signingKeysOf({ clock, secrets }, webhook);
  return { keys, receiver: receiverOf(webhook), retries: webhook.retries as Retries };
}

export function toLogRow({ attempt: { id, row, message }, result }: FinishedAttempt): AttemptRow {
  const { app_id, webhook_id, message_id, webhook_url, failed_attempts, lease_until } = row;
  return {
    app_id,
    id,
    webhook_id,
    message_id,
    webhook_url,
    event_type: message.event_type,
    sandbox: message.sandbox,
    http_status: result.httpStatus,
    response_body: result.responseBody,
    error_message: result.errorMessage,
    attempt_number: failed_attempts + 1,
    success: toFlag(result.success),
    duration_ms: result.durationMs,
    started_at: isoTime(Date.parse(lease_until) - LEASE_MS),
  };
}

/** Whether the message waits as its receiver asked, without using up the attempt. */
function isDeferred({ attempt: { row, message }, result }: FinishedAttempt): boolean {
  return result.pauseMs !== null && !isTest(message) && row.deferrals < MAX_DEFERRALS;
}

/** Failed attempts of the message at this webhook so far; interrupted and deferred ones do not count. */
function failedAttempts(finished: FinishedAttempt): number {
  const { attempt, result } = finished;
  const counts = !result.success && !result.isInterrupted && !isDeferred(finished);
  return attempt.row.failed_attempts + (counts ? 1 : 0);
}

function delaysOf({ attempt: { retries = 'standard' } }: FinishedAttempt): readonly number[] {
  return DELAYS_MS[retries];
}

/** Whether the attempt failed and was the last. */
export function isFinalFailure(finished: FinishedAttempt): boolean {
  const { success, isInterrupted } = finished.result;
  if (success || isInterrupted || isDeferred(finished) || isTest(finished.attempt.message)) return false;
  return failedAttempts(finished) > delaysOf(finished).length;
}

/** @returns the least delay until the next attempt; null if there is none. */
export function retryDelayMs(finished: FinishedAttempt): number | null {
  const { success, isInterrupted } = finished.result;
  if (success || isFinalFailure(finished) || isTest(finished.attempt.message)) return null;
  if (isInterrupted || isDeferred(finished)) return 0;
  return delaysOf(finished)[failedAttempts(finished) - 1] ?? 0;
}

/** The next attempt, if there is one. A deferred one keeps its place among those that wait for the receiver. */
export function toRetry(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  finished: FinishedAttempt,
): DueAttempt | null {
  const delayMs = retryDelayMs(finished);
  if (delayMs === null) return null;
  const { row } = finished.attempt;
  if (isDeferred(finished)) {
    const { next_attempt_at, deferrals } = row;
    return { ...toDue({ clock, ids }, row), next_attempt_at, deferrals: deferrals + 1 };
  }
  const spreadMs = Math.random() * Math.min(delayMs / 2, MAX_SPREAD_MS);
  const failed = { ...row, failed_attempts: failedAttempts(finished) };
  return toDue({ clock, ids }, failed, delayMs + spreadMs);
}

/** Until when the attempt holds its receiver: by its pace, or because it asked for a pause. */
export function toHold({ clock }: Pick<Foundation, 'clock'>, finished: FinishedAttempt): Hold | null {
  const { pauseMs } = finished.result;
  const { receiver } = finished.attempt;
  if (receiver === undefined || (pauseMs === null && receiver.intervalMs === null)) return null;
  const untilMs = clock.nowMs() + Math.max(pauseMs ?? 0, receiver.intervalMs ?? 0);
  return { receiverId: receiver.id, untilMs, isPause: pauseMs !== null };
}

/** The audit action of a message whose attempts for a webhook all failed. */
export const DELIVERY_FAILED = 'webhook.delivery_failed';

export function toAuditEntry(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  finished: FinishedAttempt,
): AuditEntry {
  const { id: attemptId, row, message } = finished.attempt;
  const { httpStatus, errorMessage } = finished.result;
  return {
    app_id: row.app_id,
    id: ids.next(),
    action: DELIVERY_FAILED,
    details: JSON.stringify({
      webhookId: row.webhook_id,
      messageId: row.message_id,
      attemptId,
      eventType: message.event_type,
      attempts: failedAttempts(finished),
      httpStatus,
      error: errorMessage,
    }),
    sandbox: message.sandbox,
    created_at: isoTime(clock.nowMs()),
  };
}
