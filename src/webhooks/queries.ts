import { type AttemptsTable, type Db, type DeliveriesDueTable, toFlag } from '../platform/db/index.ts';
import type { WebhookRow } from './webhook.ts';

export type DueRow = DeliveriesDueTable;
export type AttemptRow = AttemptsTable;

export async function insertWebhook(db: Db, webhook: WebhookRow): Promise<void> {
  await db.insertInto('webhooks').values(webhook).execute();
}

export async function findWebhook(db: Db, appId: string, webhookId: string): Promise<WebhookRow | undefined> {
  return await db
    .selectFrom('webhooks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', webhookId)
    .executeTakeFirst();
}

/** Those that are there, by their id. */
export async function findWebhooks(
  db: Db,
  wanted: readonly { appId: string; webhookId: string }[],
): Promise<ReadonlyMap<string, WebhookRow>> {
  const found = new Map<string, WebhookRow>();
  for (const [appId, ofApp] of Map.groupBy(wanted, (each) => each.appId)) {
    const ids = ofApp.map(({ webhookId }) => webhookId);
    const rows = db.selectFrom('webhooks').selectAll().where('app_id', '=', appId).where('id', 'in', ids);
    for (const webhook of await rows.execute()) found.set(webhook.id, webhook);
  }
  return found;
}

/** Newest first. */
export async function listWebhooks(db: Db, appId: string): Promise<WebhookRow[]> {
  return await db
    .selectFrom('webhooks')
    .selectAll()
    .where('app_id', '=', appId)
    .orderBy('id', 'desc')
    .execute();
}

export async function updateWebhookRow(
  db: Db,
  appId: string,
  webhookId: string,
  changes: Partial<WebhookRow>,
): Promise<void> {
  await db
    .updateTable('webhooks')
    .set(changes)
    .where('app_id', '=', appId)
    .where('id', '=', webhookId)
    .execute();
}

export async function deleteWebhookRow(db: Db, appId: string, webhookId: string): Promise<void> {
  await db.deleteFrom('webhooks').where('app_id', '=', appId).where('id', '=', webhookId).execute();
}

const DROPPED_AT_ONCE = 1_000;

/**
 * Drops some of what waits for a webhook that is disabled or gone, as it is in this very statement: what waits for one
 * that was enabled meanwhile stays.
 * @returns whether more may be left.
 */
export async function dropWaiting(db: Db, appId: string, webhookId: string): Promise<boolean> {
  const dropped = await db
    .deleteFrom('webhook_deliveries_due')
    .where('app_id', '=', appId)
    .where('id', 'in', (inner) =>
      inner
        .selectFrom('webhook_deliveries_due')
        .select('id')
        .where('app_id', '=', appId)
        .where('webhook_id', '=', webhookId)
        .limit(DROPPED_AT_ONCE),
    )
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

/** An attempt with what it sent. */
export type LoggedAttempt = AttemptRow & { request_body: string };

export async function findAttempt(
  db: Db,
  appId: string,
  attemptId: string,
): Promise<LoggedAttempt | undefined> {
  return await loggedAttempts(db, appId).where('a.id', '=', attemptId).executeTakeFirst();
}

/** Newest first. */
export async function listAttempts(
  db: Db,
  appId: string,
  where: {
    eventType: string | null;
    webhookId: string | null;
    success: boolean | null;
    before: string | null;
    limit: number;
  },
): Promise<LoggedAttempt[]> {
  return await loggedAttempts(db, appId)
    .$if(where.eventType !== null, (query) => query.where('a.event_type', '=', where.eventType ?? ''))
    .$if(where.webhookId !== null, (query) => query.where('a.webhook_id', '=', where.webhookId ?? ''))
    .$if(where.success !== null, (query) => query.where('a.success', '=', toFlag(where.success === true)))
    .$if(where.before !== null, (query) => query.where('a.id', '<', where.before ?? ''))
    .orderBy('a.id', 'desc')
    .limit(where.limit)
    .execute();
}

function loggedAttempts(db: Db, appId: string) {
  return (
    db
      .selectFrom('webhook_attempts as a')
      .leftJoin('webhook_messages as m', (join) =>
        join.onRef('m.app_id', '=', 'a.app_id').onRef('m.id', '=', 'a.message_id'),
      )
      .selectAll('a')
      // A redelivery may outlive its message, which was kept for as long as it may be.
      .select(({ fn, val }) => fn.coalesce('m.body', val('')).as('request_body'))
      .where('a.app_id', '=', appId)
  );
}
