/** What the results of attempts leave behind: counts by hour, and the messages that no attempt delivered. */

import { type Db, isAmong, type Transaction, type WebhookFailuresTable } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { chunks } from '../../lib/chunks.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../lib/clock.ts';
import { leastIdAt } from '../../lib/ids.ts';
import { type FinishedAttempt, isFinalFailure, retryDelayMs } from './attempt.ts';

/** Webhooks whose hours one statement reads. */
const READ_AT_ONCE = 20;

/** Counts messages that were delivered or given up, and notes when a webhook last succeeded and failed. */
export async function countResults(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  finished: readonly FinishedAttempt[],
): Promise<void> {
  const nowMs = clock.nowMs();
  const now = isoTime(nowMs);
  const hour = isoTime(nowMs - (nowMs % HOUR_MS));
  // Interrupted attempts say nothing of the receiver.
  const telling = finished.filter(({ result }) => !result.isInterrupted);
  const rows = [...Map.groupBy(telling, ({ attempt }) => attempt.row.webhook_id)].map(([webhook_id, of]) => {
    const successes = of.filter(({ result }) => result.success);
    const ended = of.filter((each) => retryDelayMs(each) === null);
    return {
      app_id: of[0]?.attempt.row.app_id ?? '',
      webhook_id,
      hour,
      delivered: successes.length,
      failed: ended.length - successes.length,
      last_success_at: successes.length > 0 ? now : null,
      last_failure_at: successes.length < of.length ? now : null,
      failing_since: successes.length === 0 ? now : null,
    };
  });
  if (rows.length === 0) return;
  // In one order, as processes count the same webhooks.
  rows.sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : 1));
  await tx
    .insertInto('webhook_hours')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'webhook_id', 'hour']).doUpdateSet(({ eb, fn, ref }) => ({
        delivered: eb('webhook_hours.delivered', '+', ref('excluded.delivered')),
        failed: eb('webhook_hours.failed', '+', ref('excluded.failed')),
        last_success_at: fn.coalesce('excluded.last_success_at', 'webhook_hours.last_success_at'),
        last_failure_at: fn.coalesce('excluded.last_failure_at', 'webhook_hours.last_failure_at'),
        failing_since: eb
          .case()
          .when('excluded.last_success_at', 'is not', null)
          .then(null)
          .else(fn.coalesce('webhook_hours.failing_since', 'excluded.failing_since'))
          .end(),
      })),
    )
    .execute();
}

/** The results of a webhook. */
export interface Results {
  readonly webhook_id: string;
  readonly delivered: number;
  readonly failed: number;
  readonly last_success_at: string | null;
  readonly last_failure_at: string | null;
}

/**
 * Of each webhook with results, of an app or one alone: counts of the last 24 hours, in whole hours, and the last times
 * that are kept.
 */
export async function listResults(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  { appId, webhookId }: { appId: string; webhookId: string | null },
): Promise<Results[]> {
  const since = isoTime(clock.nowMs() - DAY_MS);
  return await db
    .selectFrom('webhook_hours')
    .select(({ fn, eb }) => {
      const recent = (column: 'delivered' | 'failed') =>
        fn.sum<number>(eb.case().when('hour', '>', since).then(eb.ref(column)).else(0).end());
      return [
        'webhook_id',
        recent('delivered').as('delivered'),
        recent('failed').as('failed'),
        fn.max('last_success_at').as('last_success_at'),
        fn.max('last_failure_at').as('last_failure_at'),
      ];
    })
    .where('app_id', '=', appId)
    .$if(webhookId !== null, (query) => query.where('webhook_id', '=', webhookId ?? ''))
    .groupBy('webhook_id')
    .execute();
}

/** The first failures since the last success, by webhook; of those whose last attempt failed. */
export async function findFailingSince(
  db: Db,
  appId: string,
  results: readonly Results[],
): Promise<ReadonlyMap<string, string>> {
  const failing = results.filter(
    ({ last_success_at: success, last_failure_at: failure }) =>
      failure !== null && (success === null || failure > success),
  );
  const since = new Map<string, string>();
  for (const some of chunks(failing, READ_AT_ONCE)) {
    const rows = await db
      .selectFrom('webhook_hours')
      .select(['webhook_id', ({ fn }) => fn.min('failing_since').as('failing_since')])
      .where('app_id', '=', appId)
      .where(({ eb, and, or }) =>
        or(
          some.map(({ webhook_id: id, last_success_at: success }) =>
            success === null
              ? eb('webhook_id', '=', id)
              : and([eb('webhook_id', '=', id), eb('failing_since', '>=', success)]),
          ),
        ),
      )
      .groupBy('webhook_id')
      .execute();
    for (const { webhook_id: id, failing_since: at } of rows) if (at !== null) since.set(id, at);
  }
  return since;
}

/** Remembers messages that were given up, except those that another attempt takes care of. */
export async function insertFailures(tx: Transaction, finished: readonly FinishedAttempt[]): Promise<void> {
  const failures = finished
    .filter((each) => isFinalFailure(each) && each.attempt.row.is_repeat === 0)
    .map(({ attempt: { row, message } }) => ({
      app_id: row.app_id,
      webhook_id: row.webhook_id,
      message_id: row.message_id,
      sandbox: message.sandbox,
    }));
  if (failures.length === 0) return;
  await tx
    .insertInto('webhook_failures')
    .values(failures)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Messages of a webhook that no attempt delivered, the oldest first. */
interface FailuresPage {
  readonly appId: string;
  readonly webhookId: string;
  /** Later messages than this one. */
  readonly after: string;
  readonly limit: number;
}

export async function listFailures(db: Db, page: FailuresPage): Promise<WebhookFailuresTable[]> {
  return await db
    .selectFrom('webhook_failures')
    .selectAll()
    .where('app_id', '=', page.appId)
    .where('webhook_id', '=', page.webhookId)
    .where('message_id', '>', page.after)
    .orderBy('message_id')
    .limit(page.limit)
    .execute();
}

/** @returns the ids of those that were still there: another call may have taken them. */
export async function takeFailures(
  tx: Transaction,
  { appId, webhookId, messageIds }: { appId: string; webhookId: string; messageIds: readonly string[] },
): Promise<string[]> {
  const taken = await tx
    .deleteFrom('webhook_failures')
    .where('app_id', '=', appId)
    .where('webhook_id', '=', webhookId)
    .where(isAmong(tx, 'message_id', messageIds))
    .returning('message_id')
    .execute();
  return taken.map(({ message_id: id }) => id);
}

/** Deletes failures of an app's messages from before a time. @returns their number. */
export async function deleteOldFailures(
  db: Db,
  appId: string,
  { beforeMs }: { beforeMs: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_failures')
    .where('app_id', '=', appId)
    .where('message_id', '<', leastIdAt(beforeMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}

/** Deletes an app's counts from before a time. @returns their number. */
export async function deleteOldResults(
  db: Db,
  appId: string,
  { beforeMs }: { beforeMs: number },
): Promise<number> {
  const { numDeletedRows } = await db
    .deleteFrom('webhook_hours')
    .where('app_id', '=', appId)
    .where('hour', '<', isoTime(beforeMs))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
