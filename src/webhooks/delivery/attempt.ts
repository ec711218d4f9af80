import type { AuditEntry } from '../../audit/index.ts';
import { isoTime, SECOND_MS } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { toFlag } from '../../platform/db/index.ts';
import type { AttemptRow } from '../queries.ts';
import type { DueRow, MessageRow, UnderWayRow } from './queue.ts';
import { INTERRUPTED, type Outcome, type Target } from './send.ts';

/** One try to deliver, on record before it begins. */
export interface Attempt {
  readonly record: UnderWayRow;
  readonly message: MessageRow;
  readonly target: Target;
}

/** An attempt that ended and is not yet in the log. */
export interface Ended {
  readonly attempt: Omit<Attempt, 'target'>;
  readonly outcome: Outcome;
}

/**
 * The contract's backoff: so long after the first failure, and after the second. The third attempt is the last, so its
 * figure of 25 s never comes.
 */
const BACKOFF_MS = [SECOND_MS, 5 * SECOND_MS];
const MAX_ATTEMPTS = BACKOFF_MS.length + 1;

/** @param delivery what it delivers, and how many attempts of that failed before. */
export function toAttempt(
  ctx: Ctx,
  delivery: Omit<DueRow, 'id' | 'due_at'>,
  { message, target }: { message: MessageRow; target: Target },
): Attempt {
  const record: UnderWayRow = {
    app_id: delivery.app_id,
    id: ctx.ids.next(),
    webhook_id: delivery.webhook_id,
    message_id: delivery.message_id,
    webhook_url: target.url,
    failed_attempts: delivery.failed_attempts,
    started_at: isoTime(ctx.clock.nowMs()),
  };
  return { record, message, target };
}

/** An attempt that a crash cut: nobody knows whether it arrived. */
export function toInterrupted(record: UnderWayRow, message: MessageRow): Ended {
  const outcome = {
    success: false,
    isInterrupted: true,
    httpStatus: 0,
    responseBody: '',
    errorMessage: INTERRUPTED,
    durationMs: 0,
  };
  return { attempt: { record, message }, outcome };
}

/** Attempts of a delivery are counted from 1. */
export function toLogRow({ attempt: { record, message }, outcome }: Ended): AttemptRow {
  return {
    app_id: record.app_id,
    id: record.id,
    webhook_id: record.webhook_id,
    message_id: record.message_id,
    event_type: message.event_type,
    sandbox: message.sandbox,
    webhook_url: record.webhook_url,
    http_status: outcome.httpStatus,
    response_body: outcome.responseBody,
    error_message: outcome.errorMessage,
    attempt_number: record.failed_attempts + 1,
    success: toFlag(outcome.success),
    duration_ms: outcome.durationMs,
    started_at: record.started_at,
  };
}

/** How many attempts of its delivery have failed now. An interrupted one counts as none. */
function failedAttempts({ attempt: { record }, outcome }: Ended): number {
  return record.failed_attempts + (outcome.success || outcome.isInterrupted ? 0 : 1);
}

/** Whether it failed and no attempt is left. */
export function isGivenUp(ended: Ended): boolean {
  return failedAttempts(ended) >= MAX_ATTEMPTS;
}

/** For how long its delivery waits before it is tried again, in milliseconds; null when it is not. */
export function waitAfter(ended: Ended): number | null {
  const { success, isInterrupted } = ended.outcome;
  if (success || isGivenUp(ended) || ended.attempt.message.event_type === 'test.webhook') return null;
  return isInterrupted ? 0 : (BACKOFF_MS[failedAttempts(ended) - 1] ?? 0);
}

/** Its delivery, to be tried again; null when it is not. */
export function toDueAgain(ctx: Ctx, ended: Ended): DueRow | null {
  const waitMs = waitAfter(ended);
  if (waitMs === null) return null;
  const { app_id, webhook_id, message_id } = ended.attempt.record;
  return {
    app_id,
    id: ctx.ids.next(),
    webhook_id,
    message_id,
    failed_attempts: failedAttempts(ended),
    due_at: isoTime(ctx.clock.nowMs() + waitMs),
  };
}

/** What the audit log calls a delivery whose attempts all failed. */
export const GIVEN_UP = 'webhook.delivery_failed';

/** What is kept track of when all attempts failed. */
export function toAuditEntry(ctx: Ctx, ended: Ended): AuditEntry {
  const {
    attempt: { record, message },
    outcome,
  } = ended;
  return {
    app_id: record.app_id,
    id: ctx.ids.next(),
    action: GIVEN_UP,
    details: JSON.stringify({
      webhookId: record.webhook_id,
      messageId: record.message_id,
      attemptId: record.id,
      eventType: message.event_type,
      attempts: failedAttempts(ended),
      httpStatus: outcome.httpStatus,
      error: outcome.errorMessage,
    }),
    sandbox: message.sandbox,
    created_at: isoTime(ctx.clock.nowMs()),
  };
}
