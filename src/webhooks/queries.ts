import type { Ctx } from '../platform/ctx.ts';
import { type AttemptsTable, type Db, listInStretches, toFlag } from '../platform/db/index.ts';
import type { WebhookRow } from './webhook.ts';

export type AttemptRow = AttemptsTable;

/** In the caller's transaction, which has counted the app's webhooks. */
export async function insertWebhook(db: Db, webhook: WebhookRow): Promise<void> {
  await db.insertInto('webhooks').values(webhook).execute();
}

/** Disabled ones too. */
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

/** In the caller's transaction, which has seen that the webhook is there. */
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

/** In the caller's transaction, which drops what waits for it. The delivery log stays. */
export async function deleteWebhookRow(db: Db, appId: string, webhookId: string): Promise<void> {
  await db.deleteFrom('webhooks').where('app_id', '=', appId).where('id', '=', webhookId).execute();
}

/** An attempt with what it sent. */
export type LoggedAttempt = AttemptRow & { request_body: string };

/** A sandbox one too. Its body is empty where a person in it was erased, or the message is gone. */
export async function findAttempt(
  ctx: Ctx,
  appId: string,
  attemptId: string,
): Promise<LoggedAttempt | undefined> {
  const attempt = await ctx.db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', attemptId)
    .executeTakeFirst();
  return attempt && (await withBodies(ctx, appId, [attempt]))[0];
}

/** Newest first. */
export async function listAttempts(
  ctx: Ctx,
  appId: string,
  where: {
    eventType: string | null;
    webhookId: string | null;
    success: boolean | null;
    before: string | null;
    limit: number;
  },
): Promise<LoggedAttempt[]> {
  const { webhookId, eventType, success } = where;
  // There is an index for each of the two, and none for both.
  const ofIndex = (before: string | null) => {
    const attempts = ctx.db.selectFrom('webhook_attempts').where('app_id', '=', appId).orderBy('id', 'desc');
    const older = before === null ? attempts : attempts.where('id', '<', before);
    if (webhookId !== null) return older.where('webhook_id', '=', webhookId);
    return eventType === null ? older : older.where('event_type', '=', eventType);
  };
  const attempts = await listInStretches(
    where,
    (before, rows) => ofIndex(before).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ fromId, beforeId, most }) =>
      ofIndex(beforeId)
        .selectAll()
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .$if(eventType !== null, (query) => query.where('event_type', '=', eventType ?? ''))
        .$if(success !== null, (query) => query.where('success', '=', toFlag(success === true)))
        .limit(most)
        .execute(),
  );
  return await withBodies(ctx, appId, attempts);
}

/** Not by a join: to plan one, PostgreSQL would go through every two partitions of attempts and messages. */
async function withBodies(
  { db, store }: Ctx,
  appId: string,
  attempts: readonly AttemptRow[],
): Promise<LoggedAttempt[]> {
  const ids = [...new Set(attempts.map((attempt) => attempt.message_id))];
  const messages = await db
    .selectFrom('webhook_messages')
    .select(['id', 'body'])
    .where('app_id', '=', appId)
    .where(store.isAmong('id', ids))
    .execute();
  const bodies = new Map(messages.map(({ id, body }) => [id, body]));
  // A redelivery may outlive its message, which was kept for as long as it may be.
  return attempts.map((attempt) => ({ ...attempt, request_body: bodies.get(attempt.message_id) ?? '' }));
}
