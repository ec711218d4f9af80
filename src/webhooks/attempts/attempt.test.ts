import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '../../lib/clock.ts';
import { deriveSecrets } from '../../lib/secrets.ts';
import type { Retries, WebhookRow } from '../webhook.ts';
import {
  type FinishedAttempt,
  hasEnded,
  isFinalFailure,
  toAuditEntry,
  toHold,
  toLogRow,
  toRetry,
} from './attempt.ts';
import type { DueAttempt } from './queue.ts';
import type { Target } from './receiver-kind.ts';
import type { AttemptResult } from './send.ts';
import { createWebhookKind } from './webhook-kind.ts';

const NOW_MS = Date.parse('2026-11-25T12:00:00.000Z');
const deps = { clock: { nowMs: () => NOW_MS }, ids: { next: () => 'new' } };
const DUE_AT = '2026-11-25T11:00:00.000Z';
const FAILED: AttemptResult = {
  ...{ success: false, isInterrupted: false, httpStatus: 500, responseBody: '', errorMessage: 'no' },
  ...{ pauseMs: null, durationMs: 5 },
};
const PAUSED = { ...FAILED, httpStatus: 429, pauseMs: 30 * SECOND_MS };

function finished(
  result: AttemptResult,
  {
    failed = 0,
    deferrals = 0,
    retries = 'standard' as Retries,
    type = 'install.organic',
    intervalMs = null as number | null,
  } = {},
): FinishedAttempt {
  const message = { app_id: 'a', id: 'm', event_type: type, sandbox: 0 as const, record_id: 'r', body: '{}' };
  const row = {
    ...{ app_id: 'a', id: 'd', webhook_id: 'w', message_id: 'm', status: 1 as const, is_repeat: 0 as const },
    ...{ failed_attempts: failed, deferrals, next_attempt_at: DUE_AT, lease_until: DUE_AT, webhook_url: '' },
  };
  const webhook = { template: null, secret: null, retries } as WebhookRow;
  const target = createWebhookKind({ ...deps, secrets: deriveSecrets('secret') }).open(webhook);
  const sending = { receiver: { id: 'chat', intervalMs }, target };
  return { attempt: { id: 'i', row, message, ...sending }, result };
}

/** Delays of the retries until a message is given up. */
function delaysOf(retries: Retries): number[] {
  const delays: number[] = [];
  for (let failed = 0; ; failed++) {
    const retry = toRetry(deps, finished(FAILED, { failed, retries }));
    if (retry === null) return delays;
    delays.push(Date.parse(retry.next_attempt_at) - NOW_MS);
  }
}

describe('the retries of a message', () => {
  const standard = [SECOND_MS, 5 * SECOND_MS];
  const extended = [
    ...[...standard, 5 * MINUTE_MS, 30 * MINUTE_MS, 2 * HOUR_MS, 5 * HOUR_MS, 10 * HOUR_MS],
    ...[12 * HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS, 12 * HOUR_MS],
  ];

  for (const [retries, least] of [
    ['standard', standard],
    ['extended', extended],
  ] as const)
    it(`${retries}: ${least.length + 1} attempts, none earlier than said and each spread by at most a minute`, () => {
      for (let round = 0; round < 50; round++) {
        const delays = delaysOf(retries);
        assert.equal(delays.length, least.length);
        for (const [index, leastMs] of least.entries()) {
          const lateMs = (delays[index] ?? 0) - leastMs;
          assert.ok(lateMs >= 0 && lateMs <= Math.min(leastMs / 2, MINUTE_MS), `${lateMs} ms late`);
        }
      }
      const last = finished(FAILED, { failed: least.length, retries });
      assert.equal(isFinalFailure(last), true);
    });

  it('of many failures at once start at different times', () => {
    const starts = Array.from({ length: 100 }, () => toRetry(deps, finished(FAILED))?.next_attempt_at);
    assert.ok(new Set(starts).size > 50);
  });

  it('end within three days, and a day before their message is dropped', () => {
    assert.ok(extended.reduce((sum, delay) => sum + delay + MINUTE_MS, 0) < 3 * DAY_MS);
  });
});

describe('an attempt that its receiver asked to put off', () => {
  it('is not used up, keeps its number, and its message keeps its place', () => {
    const put = finished(PAUSED, { failed: 1, deferrals: 4 });
    const { failed_attempts, deferrals, next_attempt_at } = toRetry(deps, put) ?? {};
    assert.deepEqual([failed_attempts, deferrals, next_attempt_at], [1, 5, DUE_AT]);
    assert.equal(toLogRow(put).attempt_number, 2);
  });

  it('is a failed one after 20 times', () => {
    const put = finished(PAUSED, { failed: 2, deferrals: 19 });
    assert.equal(isFinalFailure(put), false);
    assert.equal(isFinalFailure(finished(PAUSED, { failed: 2, deferrals: 20 })), true);
    const next = toRetry(deps, finished(PAUSED, { failed: 0, deferrals: 20 }));
    assert.deepEqual([next?.failed_attempts, next?.deferrals], [1, 20]);
  });

  it('holds its receiver for as long as asked, also after 20 times', () => {
    for (const deferrals of [0, 20])
      assert.deepEqual(toHold(deps, finished(PAUSED, { deferrals, intervalMs: 1_000 })), {
        receiverId: 'chat',
        untilMs: NOW_MS + 30 * SECOND_MS,
        isPause: true,
      });
  });

  it('is not repeated if it was a test', () => {
    assert.equal(toRetry(deps, finished(PAUSED, { type: 'test.webhook' })), null);
  });
});

describe('the pace of a chat', () => {
  it('is counted from the end of an attempt, so that none arrives early', () => {
    const delivered = { ...FAILED, success: true, errorMessage: null };
    const hold = toHold(deps, finished(delivered, { intervalMs: 1_000 }));
    assert.deepEqual(hold, { receiverId: 'chat', untilMs: NOW_MS + 1_000, isPause: false });
    assert.equal(toHold(deps, finished(delivered)), null);
  });
});

describe('a kind of receiver', () => {
  const inserted = { id: 'following' } as DueAttempt;
  /** Ends after two failures, at once if the status is 404. */
  const target: Target<string> = {
    maxInFlight: 4,
    failedAction: null,
    toCall: async () => ({ success: true, errorMessage: null }),
    retryDelayMs: ({ httpStatus }, failed) => (httpStatus === 404 || failed > 2 ? null : 7 * SECOND_MS),
    recordEnd: async () => [inserted],
  };
  const ofKind = (result: AttemptResult, failed = 0): FinishedAttempt => {
    const { attempt } = finished(result, { failed });
    return { attempt: { ...attempt, target }, result };
  };

  it('decides when the next attempt is, and which one is the last', () => {
    const next = Date.parse(toRetry(deps, ofKind(FAILED))?.next_attempt_at ?? '') - NOW_MS;
    assert.ok(next >= 7 * SECOND_MS && next <= 10.5 * SECOND_MS, `${next} ms`);
    assert.equal(isFinalFailure(ofKind(FAILED, 1)), false);
    assert.equal(isFinalFailure(ofKind(FAILED, 2)), true);
    const gone = ofKind({ ...FAILED, httpStatus: 404 });
    assert.deepEqual([isFinalFailure(gone), toRetry(deps, gone)], [true, null]);
  });

  it('need not have failures in the audit log', () => {
    assert.equal(toAuditEntry(deps, ofKind(FAILED, 2)), null);
    assert.equal(toAuditEntry(deps, finished(FAILED, { failed: 2 }))?.action, 'webhook.delivery_failed');
  });

  it('a message that others replace ends without being given up, even if its receiver asked to wait', () => {
    const replaced = ofKind({ ...PAUSED, isReplaced: true });
    assert.deepEqual(
      [hasEnded(replaced), isFinalFailure(replaced), toRetry(deps, replaced)],
      [true, false, null],
    );
  });

  it('only a message that arrived, was given up or is replaced has ended', () => {
    const INTERRUPTED = { ...FAILED, isInterrupted: true };
    const ends = [{ ...FAILED, success: true }, FAILED, PAUSED, INTERRUPTED].map((result) =>
      hasEnded(ofKind(result)),
    );
    assert.deepEqual(ends, [true, false, false, false]);
    assert.equal(hasEnded(ofKind(FAILED, 2)), true);
  });
});
