import { type SqlBool, sql } from 'kysely';
import { type Actor, canSee } from '../auth/index.ts';
import { type Db, isAmong, listInRanges, toFlag, type WebhookAttemptsTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { isUuid } from '../lib/ids.ts';
import type { Kind } from './attempts/index.ts';
import {
  CODES,
  DESTINATION_MESSAGES,
  isTest,
  type MadeKind,
  OTHER_TYPES,
  type WebhookRow,
} from './webhook.ts';

export type AttemptRow = WebhookAttemptsTable;

export async function insertWebhook(db: Db, webhook: WebhookRow): Promise<void> {
  await db.insertInto('webhooks').values(webhook).execute();
}

/** A webhook or destination; a test key reads those of live keys too. @throws AppError `webhook.not_found`, `destination.not_found`. */
export async function readWebhook(
  db: Db,
  { actor, webhookId, kind = 'webhook' }: { actor: Actor; webhookId: string; kind?: MadeKind },
): Promise<WebhookRow> {
  const query = db
    .selectFrom('webhooks')
    .selectAll()
    .where('app_id', '=', actor.appId)
    .where('kind', '=', kind);
  const webhook = isUuid(webhookId)
    ? await query.where('id', '=', webhookId.toLowerCase()).executeTakeFirst()
    : undefined;
  if (webhook === undefined) throw new AppError(CODES[kind].notFound);
  return webhook;
}

/** For a change, which a test key makes to those of test keys alone. @throws AppError as `readWebhook`. */
export async function readOwnWebhook(
  db: Db,
  request: { actor: Actor; webhookId: string; kind?: MadeKind },
): Promise<WebhookRow> {
  const webhook = await readWebhook(db, request);
  if (!canSee(request.actor, { sandbox: webhook.sandbox_only }))
    throw new AppError(CODES[request.kind ?? 'webhook'].notFound, {
      message: `A live key made this ${request.kind ?? 'webhook'}, which a test key only reads. Change it with the secret live key.`,
    });
  return webhook;
}

/** Of any kind, by id; missing ones are left out. */
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
export async function listWebhooks(db: Db, appId: string, kind: Kind = 'webhook'): Promise<WebhookRow[]> {
  return await db
    .selectFrom('webhooks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('kind', '=', kind)
    .orderBy('id', 'desc')
    .execute();
}

/** Those that take what is recorded. */
export async function listEnabledReceivers(db: Db, appId: string): Promise<WebhookRow[]> {
  return await db
    .selectFrom('webhooks')
    .selectAll()
    .where('app_id', '=', appId)
    .where('kind', 'in', ['webhook', 'destination'])
    .where('enabled', '=', 1)
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

/** An attempt with the body that it sent, which is empty if it was erased or the message is gone. */
export type SentAttempt = AttemptRow & { request_body: string };

export async function findAttempt(
  db: Db,
  appId: string,
  attemptId: string,
): Promise<SentAttempt | undefined> {
  const attempt = await db
    .selectFrom('webhook_attempts')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', attemptId)
    .executeTakeFirst();
  return attempt && (await withBodies(db, appId, [attempt]))[0];
}

/** Whether its message did not arrive and no attempt of it follows; when the next one is due. */
export type LoggedAttempt = SentAttempt & { given_up: boolean; next_attempt_at: string | null };

/** Newest first. */
export async function listAttempts(
  db: Db,
  appId: string,
  where: {
    kind?: MadeKind;
    eventType?: string | undefined;
    webhookId?: string | undefined;
    success?: boolean | undefined;
    before: string | null;
    limit: number;
  },
): Promise<LoggedAttempt[]> {
  const { kind = 'webhook', webhookId, eventType, success } = where;
  // Each of the two has an index; no index has both.
  const ofIndex = (before: string | null) => {
    const attempts = db.selectFrom('webhook_attempts').where('app_id', '=', appId).orderBy('id', 'desc');
    const older = before === null ? attempts : attempts.where('id', '<', before);
    if (webhookId !== undefined) return older.where('webhook_id', '=', webhookId);
    return eventType === undefined ? older : older.where('event_type', '=', eventType);
  };
  const attempts = await listInRanges(
    where,
    (before, rows) => ofIndex(before).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ fromId, beforeId, limit }) =>
      ofIndex(beforeId)
        .selectAll()
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .$if(eventType !== undefined, (query) => query.where('event_type', '=', eventType ?? ''))
        .$if(kind === 'webhook', (query) => query.where('event_type', 'not in', OTHER_TYPES))
        .$if(kind === 'destination', (query) => query.where('event_type', 'in', DESTINATION_MESSAGES))
        .$if(success !== undefined, (query) => query.where('success', '=', toFlag(success === true)))
        .limit(limit)
        .execute(),
  );
  return await withOutlook(db, appId, await withBodies(db, appId, attempts));
}

/** Adds what becomes of the messages that these attempts did not deliver. */
async function withOutlook(
  db: Db,
  appId: string,
  attempts: readonly SentAttempt[],
): Promise<LoggedAttempt[]> {
  const failed = attempts.filter((attempt) => attempt.success === 0);
  const webhookIds = [...new Set(failed.map((attempt) => attempt.webhook_id))];
  const messageIds = [...new Set(failed.map((attempt) => attempt.message_id))];
  const failures = db
    .selectFrom('webhook_failures')
    .select(['webhook_id', 'message_id'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'webhook_id', webhookIds))
    .where(isAmong(db, 'message_id', messageIds));
  const retries = db
    .selectFrom('webhook_queue')
    .select(['webhook_id', 'message_id', 'next_attempt_at'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'webhook_id', webhookIds))
    .where(isAmong(db, 'message_id', messageIds))
    .where(IS_RETRY);
  const [givenUpRows, retryRows] = await Promise.all([failures.execute(), retries.execute()]);
  const givenUp = new Set(givenUpRows.map(keyOf));
  const next = new Map(retryRows.map((row) => [keyOf(row), row.next_attempt_at]));
  return attempts.map((attempt) => {
    const isFailed = attempt.success === 0;
    const key = keyOf(attempt);
    return {
      ...attempt,
      given_up: isFailed && (isTest(attempt) || givenUp.has(key)),
      next_attempt_at: (isFailed && next.get(key)) || null,
    };
  });
}

/** A message of a webhook. */
type OfMessage = Pick<AttemptRow, 'webhook_id' | 'message_id'>;

function keyOf({ webhook_id: webhookId, message_id: messageId }: OfMessage): string {
  return `${webhookId} ${messageId}`;
}

/** A literal, as in the condition of the index. */
const IS_RETRY = sql<SqlBool>`(failed_attempts > 0 or deferrals > 0)`;

/** Not a join: PostgreSQL would plan each pair of partitions of attempts and messages. */
async function withBodies(db: Db, appId: string, attempts: readonly AttemptRow[]): Promise<SentAttempt[]> {
  const ids = [...new Set(attempts.map((attempt) => attempt.message_id))];
  const messages = await db
    .selectFrom('webhook_messages')
    .select(['id', 'body'])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', ids))
    .execute();
  const bodies = new Map(messages.map(({ id, body }) => [id, body]));
  // The attempt of a redelivery may outlive the retention of its message.
  return attempts.map((attempt) => ({ ...attempt, request_body: bodies.get(attempt.message_id) ?? '' }));
}
