import type { AuditEntry } from '../../audit/index.ts';
import { toFlag } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime, MINUTE_MS } from '../../lib/clock.ts';
import type { AttemptRow } from '../queries.ts';
import { isTest, type WebhookRow } from '../webhook.ts';
import { type DueAttempt, LEASE_MS, type LeasedAttempt, type MessageRow, toDue } from './queue.ts';
import type { Hold, Receiver } from './receiver.ts';
import type { Kind, ReceiverKind, ReceiverKinds, Target } from './receiver-kind.ts';
import type { AttemptResult } from './send.ts';
import { DELIVERY_FAILED, delayOf } from './webhook-kind.ts';

/** What an attempt needs of its webhook. */
export interface Sending {
  readonly receiver: Receiver;
  /** Null if the secret cannot be decrypted. */
  readonly target: Target | null;
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

/** Retries are spread over half of their delay, at most a minute. */
const MAX_SPREAD_MS = MINUTE_MS;
/** How often a message waits because its receiver asked for it; later ones are failures. */
const MAX_DEFERRALS = 20;

/** @throws Error for a kind that this process does not know. */
function kindOf(kinds: ReceiverKinds, webhook: WebhookRow): ReceiverKind {
  const kind = kinds[webhook.kind as Kind];
  if (kind === undefined) throw new Error(`Unknown kind of receiver: ${webhook.kind}`);
  return kind;
}

/** @throws as `kindOf`. */
export function receiverOfKind(kinds: ReceiverKinds, webhook: WebhookRow): Receiver {
  return kindOf(kinds, webhook).receiverOf(webhook);
}

/** @throws as `kindOf`. */
export function sendingOf(kinds: ReceiverKinds, webhook: WebhookRow): Sending {
  const kind = kindOf(kinds, webhook);
  return { receiver: kind.receiverOf(webhook), target: kind.open(webhook) };
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
  if (result.pauseMs === null || result.isReplaced) return false;
  return !isTest(message) && row.deferrals < MAX_DEFERRALS;
}

/** Failed attempts of the message at this webhook so far; interrupted and deferred ones do not count. */
function failedAttempts(finished: FinishedAttempt): number {
  const { attempt, result } = finished;
  const counts = !result.success && !result.isInterrupted && !isDeferred(finished);
  return attempt.row.failed_attempts + (counts ? 1 : 0);
}

function delayAfter(finished: FinishedAttempt): number | null {
  const { target } = finished.attempt;
  const failed = failedAttempts(finished);
  return target ? target.retryDelayMs(finished.result, failed) : delayOf('standard', failed);
}

/** Whether the attempt failed and was the last. */
export function isFinalFailure(finished: FinishedAttempt): boolean {
  const { success, isInterrupted, isReplaced } = finished.result;
  if (success || isInterrupted || isReplaced) return false;
  if (isDeferred(finished) || isTest(finished.attempt.message)) return false;
  return delayAfter(finished) === null;
}

/** Whether the message arrived, was given up or is replaced. */
export function hasEnded(finished: FinishedAttempt): boolean {
  if (isTest(finished.attempt.message)) return false;
  return finished.result.success || finished.result.isReplaced === true || isFinalFailure(finished);
}

/** @returns the least delay until the next attempt; null if there is none. */
export function retryDelayMs(finished: FinishedAttempt): number | null {
  if (hasEnded(finished) || isTest(finished.attempt.message)) return null;
  if (finished.result.isInterrupted || isDeferred(finished)) return 0;
  return delayAfter(finished);
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

/** Until when the attempt holds its receiver: by its pace, because it asked for a pause, or to let it rest. */
export function toHold({ clock }: Pick<Foundation, 'clock'>, finished: FinishedAttempt): Hold | null {
  const { pauseMs, restMs = null } = finished.result;
  const { receiver } = finished.attempt;
  const waitMs = pauseMs ?? restMs;
  if (receiver === undefined || (waitMs === null && receiver.intervalMs === null)) return null;
  const untilMs = clock.nowMs() + Math.max(waitMs ?? 0, receiver.intervalMs ?? 0);
  return { receiverId: receiver.id, untilMs, isPause: pauseMs !== null };
}

/** @returns null if the kind of the receiver has none. */
export function toAuditEntry(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  finished: FinishedAttempt,
): AuditEntry | null {
  const { id: attemptId, row, message, target } = finished.attempt;
  const action = target ? target.failedAction : DELIVERY_FAILED;
  if (action === null) return null;
  const { httpStatus, errorMessage } = finished.result;
  return {
    app_id: row.app_id,
    id: ids.next(),
    action,
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
