/** What the results of attempts leave behind: counts by hour, and the messages that no attempt delivered. */

import { type Db, isAmong, type Transaction, type WebhookFailuresTable } from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { DAY_MS, HOUR_MS, isoTime } from '../../lib/clock.ts';
import { leastIdAt } from '../../lib/ids.ts';
import { DESTINATION_TEST, isTest } from '../webhook.ts';
import { type FinishedAttempt, isFinalFailure, retryDelayMs } from './attempt.ts';
import type { MessageRow } from './queue.ts';

/** In place of an hour, for the row with the last results of a webhook. */
export const LAST = isoTime(0);

/** Counts messages that were delivered or given up, and notes when a webhook last succeeded and failed. */
export async function countResults(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  finished: readonly FinishedAttempt[],
): Promise<void> {
  const nowMs = clock.nowMs();
  const now = isoTime(nowMs);
  const hour = isoTime(nowMs - (nowMs % HOUR_MS));
  // Interrupted attempts say nothing of the receiver, nor do those for which there was nothing to send, nor a destination's
  // tests: of a record that somebody chose, to a network's place for tests.
  const telling = finished.filter(
    ({ attempt: { message }, result }) =>
      !result.isInterrupted &&
      !(result.success && result.httpStatus === 0) &&
      message.event_type !== DESTINATION_TEST,
  );
  const rows = [...Map.groupBy(telling, ({ attempt }) => attempt.row.webhook_id)].flatMap(
    ([webhook_id, of]) => {
      const app_id = of[0]?.attempt.row.app_id ?? '';
      const arrived = of.filter(({ result }) => result.success).length;
      // Nobody waits for a test, and what a message is replaced by counts itself.
      const messages = of.filter(({ attempt, result }) => !isTest(attempt.message) && !result.isReplaced);
      const delivered = messages.filter(({ result }) => result.success).length;
      const ended = messages.filter((each) => retryDelayMs(each) === null).length;
      const noTimes = { last_success_at: null, last_failure_at: null, failing_since: null };
      const times = {
        last_success_at: arrived > 0 ? now : null,
        last_failure_at: arrived < of.length ? now : null,
        failing_since: arrived === 0 ? now : null,
      };
      return [
        { app_id, webhook_id, hour: LAST, delivered: 0, failed: 0, ...times },
        { app_id, webhook_id, hour, delivered, failed: ended - delivered, ...noTimes },
      ];
    },
  );
  if (rows.length === 0) return;
  // In one order, as processes count the same webhooks.
  rows.sort((a, b) => (a.webhook_id < b.webhook_id ? -1 : a.webhook_id > b.webhook_id ? 1 : 0));
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
  readonly delivered: number;
  readonly failed: number;
  readonly lastSuccessAt: string | null;
  readonly lastFailureAt: string | null;
  /** The first failure since the last success; null unless the last attempt failed. */
  readonly failingSince: string | null;
}

/** By webhook: counts of the last 24 hours, in whole hours, and the last times. Without those that have no results. */
export async function findResults(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  { appId, webhookIds }: { appId: string; webhookIds: readonly string[] },
): Promise<ReadonlyMap<string, Results>> {
  if (webhookIds.length === 0) return new Map();
  const rows = db
    .selectFrom('webhook_hours')
    .where('app_id', '=', appId)
    .where('webhook_id', 'in', webhookIds);
  const counts = rows
    .select(({ fn }) => [
      'webhook_id',
      fn.sum<number>('delivered').as('delivered'),
      fn.sum<number>('failed').as('failed'),
    ])
    .where('hour', '>', isoTime(clock.nowMs() - DAY_MS))
    .groupBy('webhook_id');
  const [last, recent] = await Promise.all([
    rows.selectAll().where('hour', '=', LAST).execute(),
    counts.execute(),
  ]);
  const countsOf = new Map(recent.map((row) => [row.webhook_id, row]));
  return new Map(
    last.map(({ webhook_id: id, ...times }) => [
      id,
      {
        delivered: Number(countsOf.get(id)?.delivered ?? 0),
        failed: Number(countsOf.get(id)?.failed ?? 0),
        lastSuccessAt: times.last_success_at,
        lastFailureAt: times.last_failure_at,
        failingSince: times.failing_since,
      },
    ]),
  );
}

/** Remembers messages that were given up, except those that another attempt takes care of. */
export async function insertFailures(tx: Transaction, finished: readonly FinishedAttempt[]): Promise<void> {
  const givenUp = finished.filter((each) => isFinalFailure(each) && each.attempt.row.is_repeat === 0);
  for (const [webhookId, of] of Map.groupBy(givenUp, ({ attempt }) => attempt.row.webhook_id))
    await insertFailuresOf(
      tx,
      webhookId,
      of.map(({ attempt }) => attempt.message),
    );
}

/** Messages of one webhook. */
export async function insertFailuresOf(
  tx: Transaction,
  webhook_id: string,
  messages: readonly Pick<MessageRow, 'app_id' | 'id' | 'sandbox'>[],
): Promise<void> {
  const failures = messages.map(({ app_id, id: message_id, sandbox }) => ({
    app_id,
    webhook_id,
    message_id,
    sandbox,
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

/** Deletes an app's counts from before a time, and last results that are older. @returns their number. */
export async function deleteOldResults(
  db: Db,
  appId: string,
  { beforeMs }: { beforeMs: number },
): Promise<number> {
  const before = isoTime(beforeMs);
  const { numDeletedRows } = await db
    .deleteFrom('webhook_hours')
    .where('app_id', '=', appId)
    .where('hour', '<', before)
    .where(({ eb, or, fn }) =>
      or([
        eb('hour', '>', LAST),
        eb(fn.coalesce('last_success_at', 'hour'), '<', before).and(
          eb(fn.coalesce('last_failure_at', 'hour'), '<', before),
        ),
      ]),
    )
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
