import type { AuditEntry } from '../../audit/index.ts';
import { toFlag } from '../../db/index.ts';
import { type Clock, isoTime, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { AttemptRow } from '../queries.ts';
import type { DueRow, InFlightRow, MessageRow } from './queue.ts';
import type { AttemptResult, Target } from './send.ts';

/** One attempt to deliver a message; its record is stored before it begins. */
export interface Attempt {
  readonly record: InFlightRow;
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

export function toAttempt(
  { clock, ids }: { clock: Clock; ids: Ids },
  delivery: Omit<DueRow, 'id' | 'due_at'>,
  { message, target }: { message: MessageRow; target: Target },
): Attempt {
  const record: InFlightRow = {
    app_id: delivery.app_id,
    id: ids.next(),
    webhook_id: delivery.webhook_id,
    message_id: delivery.message_id,
    webhook_url: target.url,
    failed_attempts: delivery.failed_attempts,
    started_at: isoTime(clock.nowMs()),
  };
  return { record, message, target };
}

export function toLogRow({ attempt: { record, message }, result }: FinishedAttempt): AttemptRow {
  const { failed_attempts: failedBefore, ...columns } = record;
  return {
    ...columns,
    event_type: message.event_type,
    sandbox: message.sandbox,
    http_status: result.httpStatus,
    response_body: result.responseBody,
    error_message: result.errorMessage,
    attempt_number: failedBefore + 1,
    success: toFlag(result.success),
    duration_ms: result.durationMs,
  };
}

/** Failed attempts of the delivery so far; interrupted ones do not count. */
function failedAttempts({ attempt: { record }, result }: FinishedAttempt): number {
  return record.failed_attempts + (result.success || result.isInterrupted ? 0 : 1);
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
  const { app_id, webhook_id, message_id } = finished.attempt.record;
  return {
    app_id,
    id: ids.next(),
    webhook_id,
    message_id,
    failed_attempts: failedAttempts(finished),
    due_at: isoTime(clock.nowMs() + delayMs),
  };
}

/** The audit action of a delivery whose attempts all failed. */
export const DELIVERY_FAILED = 'webhook.delivery_failed';

export function toAuditEntry(
  { clock, ids }: { clock: Clock; ids: Ids },
  finished: FinishedAttempt,
): AuditEntry {
  const { record, message } = finished.attempt;
  const { httpStatus, errorMessage } = finished.result;
  return {
    app_id: record.app_id,
    id: ids.next(),
    action: DELIVERY_FAILED,
    details: JSON.stringify({
      webhookId: record.webhook_id,
      messageId: record.message_id,
      attemptId: record.id,
      eventType: message.event_type,
      attempts: failedAttempts(finished),
      httpStatus,
      error: errorMessage,
    }),
    sandbox: message.sandbox,
    created_at: isoTime(clock.nowMs()),
  };
}
