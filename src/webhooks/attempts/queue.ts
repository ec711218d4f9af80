/**
 * Statements on attempts that are due or in flight. A row is one attempt: it is claimed once, and a retry is a new row, so
 * that the process whose lease is over finds its row gone. `publish.ts` inserts the first one with its message.
 */

import { type Expression, type Selectable, type SqlBool, sql } from 'kysely';
import {
  type Db,
  insertMany,
  isAmong,
  isShared,
  type Transaction,
  type WebhookMessagesTable,
  type WebhookQueueTable,
} from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime, SECOND_MS } from '../../lib/clock.ts';
import { leastIdAt } from '../../lib/ids.ts';
import type { WebhookRow } from '../webhook.ts';

export type Lease = { readonly status: 1; readonly lease_until: string; readonly webhook_url: string };

export type DueAttempt = Omit<Selectable<WebhookQueueTable>, 'lease_until' | 'webhook_url'>;
export type LeasedAttempt = DueAttempt & Lease;
export type MessageRow = WebhookMessagesTable;

/** The contract's timeout of an attempt. */
export const ATTEMPT_TIMEOUT_MS = 10 * SECOND_MS;
/** Longer than any attempt of a live process. */
export const LEASE_MS = ATTEMPT_TIMEOUT_MS + 5 * SECOND_MS;
/** On SQLite a transaction of these takes some 50 ms. */
const DROPPED_AT_ONCE = 250;

/** Literals, since planners match partial indexes against literals only. */
export const IS_DUE = sql<SqlBool>`status = 0`;
export const IS_IN_FLIGHT = sql<SqlBool>`status = 1`;

/** A new attempt that is due after a delay. */
export function toDue(
  { clock, ids }: Pick<Foundation, 'clock' | 'ids'>,
  of: Pick<DueAttempt, 'app_id' | 'webhook_id' | 'message_id'> &
    Partial<Pick<DueAttempt, 'failed_attempts' | 'deferrals' | 'is_repeat'>>,
  delayMs = 0,
): DueAttempt {
  const { app_id, webhook_id, message_id, failed_attempts = 0, deferrals = 0, is_repeat = 0 } = of;
  const next_attempt_at = isoTime(clock.nowMs() + delayMs);
  const state = { status: 0, failed_attempts, next_attempt_at, deferrals, is_repeat } as const;
  return { app_id, id: ids.next(), webhook_id, message_id, ...state };
}

/** The columns of an attempt for a webhook that begins now. */
export function toLease({ clock }: Pick<Foundation, 'clock'>, { url }: WebhookRow): Lease {
  return { status: 1, lease_until: isoTime(clock.nowMs() + LEASE_MS), webhook_url: url };
}

export async function insertDue(db: Db, due: readonly DueAttempt[]): Promise<void> {
  await insertMany(db, 'webhook_queue', due);
}

/** Deletes what still waits of messages that a redelivery has delivered. */
export async function dropDelivered(tx: Transaction, delivered: readonly DueAttempt[]): Promise<void> {
  for (const { app_id: appId, webhook_id: webhookId, message_id: messageId } of delivered)
    await tx
      .deleteFrom('webhook_queue')
      .where('app_id', '=', appId)
      .where('webhook_id', '=', webhookId)
      .where('message_id', '=', messageId)
      .where(IS_DUE)
      .execute();
}

/**
 * Leases due attempts of a webhook to this process, the oldest first.
 * @param unlessHeld the receiver that must not be held; null if the caller has taken its place.
 */
export async function claimDueAttempts(
  tx: Transaction,
  { clock }: Pick<Foundation, 'clock'>,
  webhook: WebhookRow,
  { limit, unlessHeld }: { limit: number; unlessHeld: string | null },
): Promise<LeasedAttempt[]> {
  const now = isoTime(clock.nowMs());
  const due = selectDue(tx, webhook.app_id)
    .where('webhook_id', '=', webhook.id)
    .where('next_attempt_at', '<=', now)
    .$if(unlessHeld !== null, (query) =>
      query.where(({ not, exists, selectFrom }) =>
        not(
          exists(
            selectFrom('webhook_receivers as r')
              .select('r.id')
              .where('r.id', '=', unlessHeld)
              .where('r.next_attempt_at', '>', now),
          ),
        ),
      ),
    )
    .orderBy('next_attempt_at')
    // Those that start together need no order.
    .$if(limit === 1, (query) => query.orderBy('message_id'))
    .limit(limit)
    // Concurrent processes claim different rows.
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked());
  return await tx
    .updateTable('webhook_queue')
    .set(toLease({ clock }, webhook))
    .where('app_id', '=', webhook.app_id)
    .where(isAmong(tx, 'id', due))
    .returningAll()
    .$narrowType<Lease>()
    .execute();
}

/** Some retries of a webhook are due now. @returns whether more may be left. */
export async function hastenRetries(
  db: Db,
  { clock }: Pick<Foundation, 'clock'>,
  { app_id: appId, id: webhookId }: Pick<WebhookRow, 'app_id' | 'id'>,
): Promise<boolean> {
  const next_attempt_at = isoTime(clock.nowMs());
  const later = selectDue(db, appId)
    .where('webhook_id', '=', webhookId)
    .where('failed_attempts', '>', 0)
    .where('next_attempt_at', '>', next_attempt_at)
    .limit(DROPPED_AT_ONCE);
  const { numUpdatedRows } = await db
    .updateTable('webhook_queue')
    .set({ next_attempt_at })
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', later))
    .where(IS_DUE)
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows) === DROPPED_AT_ONCE;
}

/** Messages by their ids. */
export async function findMessages(
  tx: Transaction,
  wanted: readonly Pick<DueAttempt, 'app_id' | 'message_id'>[],
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

/** @returns the ids that were still in flight: another process may have recovered an attempt whose lease was over. */
export async function deleteInFlight(
  tx: Transaction,
  attempts: readonly LeasedAttempt[],
): Promise<ReadonlySet<string>> {
  const deletedIds = new Set<string>();
  for (const [appId, ofApp] of Map.groupBy(attempts, (each) => each.app_id)) {
    const ids = ofApp.map(({ id }) => id);
    const deleted = tx
      .deleteFrom('webhook_queue')
      .where('app_id', '=', appId)
      .where(isAmong(tx, 'id', ids))
      .returning('id');
    for (const { id } of await deleted.execute()) deletedIds.add(id);
  }
  return deletedIds;
}

/** Across apps, since the index of leases is small and has no app. */
export async function listInFlight(
  db: Db,
): Promise<Pick<DueAttempt, 'app_id' | 'id' | 'webhook_id' | 'message_id'>[]> {
  const columns = ['app_id', 'id', 'webhook_id', 'message_id'] as const;
  return await db.selectFrom('webhook_queue').select(columns).where(IS_IN_FLIGHT).execute();
}

/**
 * Deletes some due attempts of a webhook, unless this statement sees it enabled. A recovery of a disabled one finds their
 * messages.
 * @returns whether more may be left.
 */
export async function dropPending(db: Db, appId: string, webhookId: string): Promise<boolean> {
  const pending = selectDue(db, appId)
    .where('webhook_id', '=', webhookId)
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
    );
  const dropped = await deleteDue(db, appId, pending.limit(DROPPED_AT_ONCE));
  await insertDropped(db, { appId, webhookId }, dropped);
  if (dropped.length === DROPPED_AT_ONCE) return true;
  // Another process may have dropped the same ones meanwhile, so a small number does not mean that none is left.
  return (await pending.limit(1).executeTakeFirst()) !== undefined;
}

/** Deletes some due attempts of an app from before a time, the oldest first. @returns their number. */
export async function dropOldPending(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = selectDue(db, appId).where('id', '<', leastIdAt(beforeMs)).orderBy('id').limit(limit);
  return (await deleteDue(db, appId, old)).length;
}

type Dropped = Pick<DueAttempt, 'message_id' | 'is_repeat'>;

/** Remembers messages that no attempt delivered, except those that another attempt takes care of. */
async function insertDropped(
  db: Db,
  { appId, webhookId }: { appId: string; webhookId: string },
  dropped: readonly Dropped[],
): Promise<void> {
  const ids = dropped.filter((each) => each.is_repeat === 0).map((each) => each.message_id);
  if (ids.length === 0) return;
  const webhook = db.selectFrom('webhooks').select('id').where('app_id', '=', appId);
  if ((await webhook.where('id', '=', webhookId).executeTakeFirst()) === undefined) return;
  const messages = await db
    .selectFrom('webhook_messages')
    .select(['id as message_id', 'sandbox'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .orderBy('id')
    .execute();
  if (messages.length === 0) return;
  await db
    .insertInto('webhook_failures')
    .values(messages.map((message) => ({ app_id: appId, webhook_id: webhookId, ...message })))
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

/** Across apps: webhooks with due attempts, and when the first one is or was due. */
type PendingWebhook = Pick<DueAttempt, 'app_id' | 'webhook_id' | 'next_attempt_at'>;

/**
 * By id. Steps from webhook to webhook through the index, so that the number of attempts of each does not matter.
 */
export async function listPendingWebhooks(
  db: Db,
  after: string | null,
  limit: number,
): Promise<PendingWebhook[]> {
  const webhooks: PendingWebhook[] = [];
  while (webhooks.length < limit) {
    const last = webhooks.at(-1)?.webhook_id ?? after;
    const next = await db
      .selectFrom('webhook_queue')
      .select(['app_id', 'webhook_id', 'next_attempt_at'])
      .where(IS_DUE)
      .$if(last !== null, (query) => query.where('webhook_id', '>', last ?? ''))
      .orderBy('webhook_id')
      .orderBy('next_attempt_at')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) break;
    webhooks.push(next);
  }
  return webhooks;
}

function selectDue(db: Db, appId: string) {
  return db.selectFrom('webhook_queue').select('id').where('app_id', '=', appId).where(IS_DUE);
}

/** Not those that another process has claimed since they were selected. */
async function deleteDue(db: Db, appId: string, ids: Expression<unknown>): Promise<Dropped[]> {
  return await db
    .deleteFrom('webhook_queue')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .where(IS_DUE)
    .returning(['message_id', 'is_repeat'])
    .execute();
}
