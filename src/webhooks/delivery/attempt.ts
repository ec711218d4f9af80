import type { AuditEntry } from '../../audit/index.ts';
import { isoTime, SECOND_MS } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import { toFlag } from '../../platform/db/index.ts';
import type { AttemptRow, DueRow } from '../queries.ts';
import type { Outcome, Target } from './send.ts';

/** One try to deliver, from the record that is written before it on. */
export interface Attempt {
  readonly delivery: DueRow;
  readonly target: Target;
  readonly record: AttemptRow;
}

/** An attempt of this process that ended and is not yet recorded. */
export interface Ended {
  readonly attempt: Attempt;
  readonly outcome: Outcome;
}

/**
 * The contract's backoff: so long after the first failure, and after the second. The third attempt is the last, so its
 * figure of 25 s never comes.
 */
const BACKOFF_MS = [SECOND_MS, 5 * SECOND_MS];
const MAX_ATTEMPTS = BACKOFF_MS.length + 1;

export function toAttempt(ctx: Ctx, delivery: DueRow, target: Target): Attempt {
  const record: AttemptRow = {
    app_id: delivery.app_id,
    id: ctx.ids.next(),
    webhook_id: delivery.webhook_id,
    message_id: delivery.message_id,
    event_type: delivery.event_type,
    sandbox: delivery.sandbox,
    webhook_url: target.url,
    request_body: delivery.request_body,
    http_status: 0,
    response_body: '',
    error_message: null,
    attempt_number: delivery.failed_attempts + 1,
    success: 0,
    duration_ms: 0,
    started_at: isoTime(ctx.clock.nowMs()),
    finished_at: null,
  };
  return { delivery, target, record };
}

/** The record of an attempt that ended. */
export function completed(ctx: Ctx, { attempt: { record }, outcome }: Ended): AttemptRow {
  return {
    ...record,
    http_status: outcome.httpStatus,
    response_body: outcome.responseBody,
    error_message: outcome.errorMessage,
    success: toFlag(outcome.success),
    duration_ms: outcome.durationMs,
    finished_at: isoTime(ctx.clock.nowMs()),
  };
}

/** How many attempts of its delivery have failed now. An interrupted one counts as none. */
export function failedAttempts({ attempt: { delivery }, outcome }: Ended): number {
  return delivery.failed_attempts + (outcome.success || outcome.isInterrupted ? 0 : 1);
}

/** Whether it failed and no attempt is left. */
export function isGivenUp(ended: Ended): boolean {
  return failedAttempts(ended) >= MAX_ATTEMPTS;
}

/** For how long its delivery waits before it is tried again, in milliseconds; null when it is not. */
export function waitAfter(ended: Ended): number | null {
  const { success, isInterrupted } = ended.outcome;
  if (success || isGivenUp(ended)) return null;
  return isInterrupted ? 0 : (BACKOFF_MS[failedAttempts(ended) - 1] ?? 0);
}

/** What is kept track of when all attempts failed. */
export function toAuditEntry(ctx: Ctx, ended: Ended): AuditEntry {
  const {
    attempt: { delivery, record },
    outcome,
  } = ended;
  return {
    app_id: delivery.app_id,
    // The attempt's own, so that what is recorded twice after a broken connection is one entry.
    id: record.id,
    action: 'webhook.delivery_failed',
    details: JSON.stringify({
      webhookId: delivery.webhook_id,
      messageId: delivery.message_id,
      attemptId: record.id,
      eventType: delivery.event_type,
      attempts: failedAttempts(ended),
      httpStatus: outcome.httpStatus,
      error: outcome.errorMessage,
    }),
    sandbox: delivery.sandbox,
    created_at: isoTime(ctx.clock.nowMs()),
  };
}
