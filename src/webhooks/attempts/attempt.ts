import type { AuditEntry } from '../../audit/index.ts';
import { toFlag } from '../../db/index.ts';
import { type Clock, HOUR_MS, isoTime, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import type { AttemptRow } from '../queries.ts';
import type { Retries } from '../webhook.ts';
import { type DueRow, LEASE_MS, type LeasedRow, type MessageRow, toDue } from './queue.ts';
import type { Hold } from './receiver-queries.ts';
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
  /** Without a target if its process is gone. */
  readonly attempt: Omit<Attempt, 'target'> & { readonly target?: Target };
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

/** Whether the delivery waits as its receiver asked, without using up the attempt. */
export function isDeferred({ attempt: { delivery, message }, result }: FinishedAttempt): boolean {
  return result.pauseMs !== null && !isTest(message) && delivery.deferrals < MAX_DEFERRALS;
}

/** Failed attempts of the delivery so far; interrupted and deferred ones do not count. */
function failedAttempts(finished: FinishedAttempt): number {
  const { attempt, result } = finished;
  const counts = !result.success && !result.isInterrupted && !isDeferred(finished);
  return attempt.delivery.failed_attempts + (counts ? 1 : 0);
}

function delaysOf({ attempt: { target } }: FinishedAttempt): readonly number[] {
  return DELAYS_MS[target?.retries ?? 'standard'];
}

function isTest({ event_type: type }: MessageRow): boolean {
  return type === 'test.webhook';
}

/** Whether the delivery has failed and no attempt is left. */
export function isFinalFailure(finished: FinishedAttempt): boolean {
  const { success, isInterrupted } = finished.result;
  if (success || isInterrupted || isDeferred(finished) || isTest(finished.attempt.message)) return false;
  return failedAttempts(finished) > delaysOf(finished).length;
}

/** @returns the least delay until the delivery is retried; null if it is not. */
export function retryDelayMs(finished: FinishedAttempt): number | null {
  const { success, isInterrupted } = finished.result;
  if (success || isFinalFailure(finished) || isTest(finished.attempt.message)) return null;
  if (isInterrupted || isDeferred(finished)) return 0;
  return delaysOf(finished)[failedAttempts(finished) - 1] ?? 0;
}

/** A deferred delivery keeps its place in the line of its receiver. @returns null if the delivery is not retried. */
export function toRetry(
  { clock, ids }: { clock: Clock; ids: Ids },
  finished: FinishedAttempt,
): DueRow | null {
  const delayMs = retryDelayMs(finished);
  if (delayMs === null) return null;
  const { delivery } = finished.attempt;
  if (isDeferred(finished)) {
    const { next_attempt_at, deferrals } = delivery;
    return { ...toDue({ clock, ids }, delivery), next_attempt_at, deferrals: deferrals + 1 };
  }
  const spreadMs = Math.random() * Math.min(delayMs / 2, MAX_SPREAD_MS);
  const failed = { ...delivery, failed_attempts: failedAttempts(finished) };
  return toDue({ clock, ids }, failed, delayMs + spreadMs);
}

/** Until when the attempt holds its receiver: by its pace, or because it asked for a pause. */
export function toHold({ clock }: { clock: Clock }, finished: FinishedAttempt): Hold | null {
  const { pauseMs } = finished.result;
  const receiver = finished.attempt.target?.receiver;
  if (receiver === undefined || (pauseMs === null && receiver.intervalMs === null)) return null;
  const untilMs = clock.nowMs() + Math.max(pauseMs ?? 0, receiver.intervalMs ?? 0);
  return { receiverId: receiver.id, untilMs, isPause: pauseMs !== null };
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
