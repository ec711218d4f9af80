/**
 * Statements on deliveries that are due or in flight. A delivery is in one table at a time; the dispatcher's transactions
 * move it. `publish.ts` inserts it with its message.
 */

import {
  type Db,
  insertMany,
  isAmong,
  isShared,
  type Transaction,
  type WebhookAttemptsUnderWayTable,
  type WebhookDeliveriesDueTable,
  type WebhookMessagesTable,
} from '../../db/index.ts';
import { type Clock, isoTime } from '../../lib/clock.ts';

export type DueRow = WebhookDeliveriesDueTable;
export type InFlightRow = WebhookAttemptsUnderWayTable;
export type MessageRow = WebhookMessagesTable;

/** Removes due deliveries of a webhook from the queue, the oldest first. */
export async function claimDueRows(
  tx: Transaction,
  { clock }: { clock: Clock },
  { appId, webhookId }: { appId: string; webhookId: string },
  limit: number,
): Promise<DueRow[]> {
  const due = tx
    .selectFrom('webhook_deliveries_due')
    .select('id')
    .where('app_id', '=', appId)
    .where('webhook_id', '=', webhookId)
    .where('due_at', '<=', isoTime(clock.nowMs()))
    .orderBy('due_at')
    .limit(limit)
    // Concurrent processes claim different rows.
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked());
  return await tx
    .deleteFrom('webhook_deliveries_due')
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', due))
    .returningAll()
    .execute();
}

/** Messages by their ids. */
export async function findMessages(
  tx: Transaction,
  wanted: readonly Pick<DueRow, 'app_id' | 'message_id'>[],
): Promise<ReadonlyMap<string, MessageRow>> {
  const found = new Map<string, MessageRow>();
  for (const [appId, ofApp] of Map.groupBy(wanted, (each) => each.app_id)) {
    const ids = [...new Set(ofApp.map((each) => each.message_id))];
    const messages = tx
      .selectFrom('webhook_messages')
      .selectAll()
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'id', ids));
    for (const message of await messages.execute()) found.set(message.id, message);
  }
  return found;
}

export async function insertInFlight(tx: Transaction, attempts: readonly InFlightRow[]): Promise<void> {
  await insertMany(tx, 'webhook_attempts_under_way', attempts);
}

/** @returns the ids that were still in flight: another process may have recorded an attempt as abandoned. */
export async function deleteInFlight(
  tx: Transaction,
  attempts: readonly InFlightRow[],
): Promise<ReadonlySet<string>> {
  const deletedIds = new Set<string>();
  for (const [appId, ofApp] of Map.groupBy(attempts, (each) => each.app_id)) {
    const ids = ofApp.map(({ id }) => id);
    const deleted = tx
      .deleteFrom('webhook_attempts_under_way')
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'id', ids))
      .returning('id');
    for (const { id } of await deleted.execute()) deletedIds.add(id);
  }
  return deletedIds;
}

/** Across apps: removes attempts that began before a time, whose process is gone. */
export async function claimAbandoned(
  tx: Transaction,
  startedBeforeMs: number,
  limit: number,
): Promise<InFlightRow[]> {
  const abandoned = tx
    .selectFrom('webhook_attempts_under_way')
    .select('id')
    .where('started_at', '<', isoTime(startedBeforeMs))
    .limit(limit)
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked());
  return await tx
    .deleteFrom('webhook_attempts_under_way')
    .where(isAmong(tx, 'id', abandoned))
    .returningAll()
    .execute();
}

export async function insertDue(db: Db, deliveries: readonly DueRow[]): Promise<void> {
  await insertMany(db, 'webhook_deliveries_due', deliveries);
}

const DROPPED_AT_ONCE = 1_000;

/**
 * Deletes some pending deliveries of a webhook, unless this statement sees it enabled.
 * @returns whether more may be left.
 */
export async function dropPending(db: Db, appId: string, webhookId: string): Promise<boolean> {
  const pending = db
    .selectFrom('webhook_deliveries_due')
    .select('id')
    .where('app_id', '=', appId)
    .where('webhook_id', '=', webhookId)
    .limit(DROPPED_AT_ONCE);
  const dropped = await db
    .deleteFrom('webhook_deliveries_due')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', pending))
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom('webhooks')
            .select('id')
            .where('app_id', '=', appId)
            .where('id', '=', webhookId)
            .where('enabled', '=', 1),
        ),
      ),
    )
    .returning('id')
    .execute();
  return dropped.length === DROPPED_AT_ONCE;
}

/**
 * Across apps: webhooks with pending deliveries, by id. Steps from webhook to webhook through the index, so that the
 * number of deliveries of each does not matter.
 */
export async function listPendingWebhooks(
  db: Db,
  after: string | null,
  limit: number,
): Promise<{ app_id: string; webhook_id: string }[]> {
  const webhooks: { app_id: string; webhook_id: string }[] = [];
  while (webhooks.length < limit) {
    const last = webhooks.at(-1)?.webhook_id ?? after;
    const next = await db
      .selectFrom('webhook_deliveries_due')
      .select(['app_id', 'webhook_id'])
      .$if(last !== null, (query) => query.where('webhook_id', '>', last ?? ''))
      .orderBy('webhook_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) break;
    webhooks.push(next);
  }
  return webhooks;
}
