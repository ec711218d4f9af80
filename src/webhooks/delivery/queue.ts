/**
 * What waits and what is under way, as the courier moves it. A delivery is in one place at a time: it waits, or is under
 * way, and goes from the one to the other in the courier's transactions. It comes in by `publish.ts`, with its message.
 */
import { isoTime } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type {
  AttemptsUnderWayTable,
  Db,
  DeliveriesDueTable,
  MessagesTable,
} from '../../platform/db/index.ts';
import type { AttemptRow } from '../queries.ts';

export type DueRow = DeliveriesDueTable;
export type UnderWayRow = AttemptsUnderWayTable;
export type MessageRow = MessagesTable;

/** Takes what is due for a webhook, oldest first: it waits no longer. */
export async function takeDueRows(
  tx: Ctx,
  { appId, webhookId }: { appId: string; webhookId: string },
  limit: number,
): Promise<DueRow[]> {
  const due = tx.db
    .selectFrom('webhook_deliveries_due')
    .select('id')
    .where('app_id', '=', appId)
    .where('webhook_id', '=', webhookId)
    .where('due_at', '<=', isoTime(tx.clock.nowMs()))
    .orderBy('due_at')
    .limit(limit)
    // Other processes pass over what this one is taking.
    .$if(tx.store.isShared, (query) => query.forUpdate().skipLocked());
  return await tx.db
    .deleteFrom('webhook_deliveries_due')
    .where('app_id', '=', appId)
    .where(tx.store.isAmong('id', due))
    .returningAll()
    .execute();
}

/** Messages by their ids. */
export async function findMessages(
  tx: Ctx,
  wanted: readonly Pick<DueRow, 'app_id' | 'message_id'>[],
): Promise<ReadonlyMap<string, MessageRow>> {
  const found = new Map<string, MessageRow>();
  for (const [appId, ofApp] of byApp(wanted)) {
    const ids = [...new Set(ofApp.map((each) => each.message_id))];
    const messages = tx.db
      .selectFrom('webhook_messages')
      .selectAll()
      .where('app_id', '=', appId)
      .where(tx.store.isAmong('id', ids));
    for (const message of await messages.execute()) found.set(message.id, message);
  }
  return found;
}

/** Attempts that are about to begin. */
export async function insertUnderWay(tx: Ctx, attempts: readonly UnderWayRow[]): Promise<void> {
  await tx.store.insertMany(tx.db, 'webhook_attempts_under_way', attempts);
}

/** Attempts that ended. Gives the ids of those that were still under way: another process may have taken one over. */
export async function deleteUnderWay(
  tx: Ctx,
  attempts: readonly UnderWayRow[],
): Promise<ReadonlySet<string>> {
  const ended = new Set<string>();
  for (const [appId, ofApp] of byApp(attempts)) {
    const ids = ofApp.map(({ id }) => id);
    const deleted = tx.db
      .deleteFrom('webhook_attempts_under_way')
      .where('app_id', '=', appId)
      .where(tx.store.isAmong('id', ids))
      .returning('id');
    for (const { id } of await deleted.execute()) ended.add(id);
  }
  return ended;
}

/** Server's own: takes some of those whose process is gone, since they began before. */
export async function takeAbandoned(tx: Ctx, startedBeforeMs: number, limit: number): Promise<UnderWayRow[]> {
  const abandoned = tx.db
    .selectFrom('webhook_attempts_under_way')
    .select('id')
    .where('started_at', '<', isoTime(startedBeforeMs))
    .limit(limit)
    .$if(tx.store.isShared, (query) => query.forUpdate().skipLocked());
  return await tx.db
    .deleteFrom('webhook_attempts_under_way')
    .where(tx.store.isAmong('id', abandoned))
    .returningAll()
    .execute();
}

/** Attempts that ended, into the delivery log. */
export async function insertAttempts(tx: Ctx, attempts: readonly AttemptRow[]): Promise<void> {
  await tx.store.insertMany(tx.db, 'webhook_attempts', attempts);
}

/** Deliveries that are to be tried again. */
export async function insertDue(tx: Ctx, deliveries: readonly DueRow[]): Promise<void> {
  await tx.store.insertMany(tx.db, 'webhook_deliveries_due', deliveries);
}

const DROPPED_AT_ONCE = 1_000;

/**
 * Drops some of what waits for a webhook that is disabled or gone, as it is in this very statement: what waits for one
 * that was enabled meanwhile stays.
 * @returns whether more may be left.
 */
export async function dropWaiting({ db, store }: Ctx, appId: string, webhookId: string): Promise<boolean> {
  const waiting = db
    .selectFrom('webhook_deliveries_due')
    .select('id')
    .where('app_id', '=', appId)
    .where('webhook_id', '=', webhookId)
    .limit(DROPPED_AT_ONCE);
  const dropped = await db
    .deleteFrom('webhook_deliveries_due')
    .where('app_id', '=', appId)
    .where(store.isAmong('id', waiting))
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
 * Server's own: webhooks that anything waits for, from one on. It steps from one to the next by the index, however much
 * waits for each.
 */
export async function listWaiting(
  db: Db,
  after: string | null,
  limit: number,
): Promise<{ app_id: string; webhook_id: string }[]> {
  const waiting: { app_id: string; webhook_id: string }[] = [];
  while (waiting.length < limit) {
    const last = waiting.at(-1)?.webhook_id ?? after;
    const next = await db
      .selectFrom('webhook_deliveries_due')
      .select(['app_id', 'webhook_id'])
      .$if(last !== null, (query) => query.where('webhook_id', '>', last ?? ''))
      .orderBy('webhook_id')
      .limit(1)
      .executeTakeFirst();
    if (next === undefined) break;
    waiting.push(next);
  }
  return waiting;
}

function byApp<T extends { app_id: string }>(rows: readonly T[]): ReadonlyMap<string, T[]> {
  return Map.groupBy(rows, ({ app_id: appId }) => appId);
}
