import type { AuditEntry } from '../../audit/index.ts';
import { toFlag } from '../../db/index.ts';
import { type Clock, isoTime, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { AttemptRow } from '../queries.ts';
import { type DueRow, LEASE_MS, type LeasedRow, type MessageRow, toDue } from './queue.ts';
import type { AttemptResult, Target } from './send.ts';

/** One attempt to deliver a message. */
export interface Attempt {
  /** Of its row in the log. */
  readonly id: string;
  readonly delivery: LeasedRow;
  readonly message: MessageRow;
  readonly target: Target;
}

/** An attempt that ended and is not yet in the log. */
export interface FinishedAttempt {
  readonly attempt: Omit<Attempt, 'target'>;
  readonly result: AttemptResult;
}

/** Delays after the first and second failure, by the contract. The third attempt is the last, so its 25 s do not apply. */
const BACKOFF_MS = [SECOND_MS, 5 * SECOND_MS];
const MAX_ATTEMPTS = BACKOFF_MS.length + 1;

export function toLogRow({ attempt: { id, delivery, message }, result }: FinishedAttempt): AttemptRow {
  const { app_id, webhook_id, message_id, webhook_url, failed_attempts, lease_until } = delivery;
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

/** Failed attempts of the delivery so far; interrupted ones do not count. */
function failedAttempts({ attempt: { delivery }, result }: FinishedAttempt): number {
  return delivery.failed_attempts + (result.success || result.isInterrupted ? 0 : 1);
}

/** Whether the delivery has failed and no attempt is left. */
export function isFinalFailure(finished: FinishedAttempt): boolean {
  return failedAttempts(finished) >= MAX_ATTEMPTS;
}

/** @returns the delay until the delivery is retried; null if it is not. */
export function retryDelayMs(finished: FinishedAttempt): number | null {
  const { success, isInterrupted } = finished.result;
  if (success || isFinalFailure(finished) || finished.attempt.message.event_type === 'test.webhook')
    return null;
  return isInterrupted ? 0 : (BACKOFF_MS[failedAttempts(finished) - 1] ?? 0);
}

/** @returns null if the delivery is not retried. */
export function toRetry(
  { clock, ids }: { clock: Clock; ids: Ids },
  finished: FinishedAttempt,
): DueRow | null {
  const delayMs = retryDelayMs(finished);
  if (delayMs === null) return null;
  const delivery = { ...finished.attempt.delivery, failed_attempts: failedAttempts(finished) };
  return toDue({ clock, ids }, delivery, delayMs);
}

/** The audit action of a delivery whose attempts all failed. */
export const DELIVERY_FAILED = 'webhook.delivery_failed';

export function toAuditEntry(
  { clock, ids }: { clock: Clock; ids: Ids },
  finished: FinishedAttempt,
): AuditEntry {
  const { id: attemptId, delivery, message } = finished.attempt;
  const { httpStatus, errorMessage } = finished.result;
  return {
    app_id: delivery.app_id,
    id: ids.next(),
    action: DELIVERY_FAILED,
    details: JSON.stringify({
      webhookId: delivery.webhook_id,
      messageId: delivery.message_id,
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
