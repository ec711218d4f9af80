/** Attempts that wait: how many, and those that a recovery brings forward. */
import { sql } from 'kysely';
import { type Db, isAmong, type Transaction } from '../../db/index.ts';
import { chunks } from '../../lib/chunks.ts';
import type { WebhookRow } from '../webhook.ts';
import { type DueAttempt, IS_DUE, IS_IN_FLIGHT, listPendingWebhooks } from './queue.ts';

/** Across apps: the attempts that wait, at most `max` of them, and when the first is or was due. */
export async function countWaiting(
  db: Db,
  max: number,
): Promise<{ attempts: number; firstDueAt: string | null }> {
  const waiting = db.selectFrom('webhook_queue').select('next_attempt_at').where(IS_DUE).limit(max);
  return await db
    .selectFrom(waiting.as('waiting'))
    .select(({ fn }) => [
      fn.countAll<number>().as('attempts'),
      fn.min<string | null>('next_attempt_at').as('firstDueAt'),
    ])
    .executeTakeFirstOrThrow();
}

/** Attempts that wait for receivers of one kind. */
export interface WaitingOfKind {
  readonly kind: string;
  readonly attempts: number;
  readonly firstDueAt: string | null;
}

/** As `countWaiting`, by the kind of the receiver; `max` is for all kinds together. */
export async function countWaitingByKind(db: Db, max: number): Promise<WaitingOfKind[]> {
  const waiting = db
    .selectFrom('webhook_queue')
    .select(['app_id', 'webhook_id', 'next_attempt_at'])
    .where(IS_DUE)
    .limit(max);
  const rows = await db
    .selectFrom(waiting.as('waiting'))
    .innerJoin('webhooks', (join) =>
      join.onRef('webhooks.app_id', '=', 'waiting.app_id').onRef('webhooks.id', '=', 'waiting.webhook_id'),
    )
    .select(({ fn }) => [
      'webhooks.kind',
      fn.countAll<number>().as('attempts'),
      fn.min<string | null>('waiting.next_attempt_at').as('firstDueAt'),
    ])
    .groupBy('webhooks.kind')
    .execute();
  return rows.map((row) => ({ ...row, attempts: Number(row.attempts) }));
}

/** Attempts for a webhook that are counted at most: an app with a hundred webhooks counts them all at once. */
export const MAX_WAITING = 1_000;
/** Few, since the statements of all apps wait for each other on SQLite. */
const COUNTED_AT_ONCE = 10;

/** Attempts in flight, by webhook. */
export async function countInFlight(
  db: Db,
  webhooks: readonly Pick<WebhookRow, 'app_id' | 'id'>[],
): Promise<ReadonlyMap<string, number>> {
  const [first] = webhooks;
  if (first === undefined) return new Map();
  const rows = await db
    .selectFrom('webhook_queue')
    .select(({ fn }) => ['webhook_id', fn.countAll<number>().as('attempts')])
    .where('app_id', '=', first.app_id)
    .where(
      isAmong(
        db,
        'webhook_id',
        webhooks.map(({ id }) => id),
      ),
    )
    .where(IS_IN_FLIGHT)
    .groupBy('webhook_id')
    .execute();
  return new Map(rows.map((row) => [row.webhook_id, Number(row.attempts)]));
}

/** Attempts that wait, by webhook; each count ends at `MAX_WAITING`. */
export async function countWaitingByWebhook(
  db: Db,
  webhooks: readonly Pick<WebhookRow, 'app_id' | 'id'>[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  for (const some of chunks(webhooks, COUNTED_AT_ONCE))
    for (const { webhookId, attempts } of await countWaitingOf(db, some))
      counts.set(webhookId, Number(attempts));
  return counts;
}

async function countWaitingOf(
  db: Db,
  webhooks: readonly Pick<WebhookRow, 'app_id' | 'id'>[],
): Promise<{ webhookId: string; attempts: number }[]> {
  const [first, ...others] = webhooks.map(({ app_id: appId, id }) =>
    db
      .selectFrom(
        db
          .selectFrom('webhook_queue')
          .select('webhook_id')
          .where('app_id', '=', appId)
          .where('webhook_id', '=', id)
          .where(IS_DUE)
          .limit(MAX_WAITING)
          .as('waiting'),
      )
      .select(({ fn }) => [sql<string>`${id}`.as('webhookId'), fn.countAll<number>().as('attempts')]),
  );
  if (first === undefined) return [];
  const counts = others.reduce((all, each) => all.unionAll(each), first as typeof first);
  return await counts.execute();
}

/** Of the webhooks that are looked at for the apps with the most. */
const MAX_WEBHOOKS = 200;

/** Across apps: those with the most attempts that wait, by the counts of `countWaitingByWebhook`. The most first. */
export async function listAppsWaiting(db: Db): Promise<string[]> {
  const pending = await listPendingWebhooks(db, null, MAX_WEBHOOKS);
  const webhooks = pending.map(({ app_id, webhook_id }) => ({ app_id, id: webhook_id }));
  const counts = await countWaitingByWebhook(db, webhooks);
  const byApp = new Map<string, number>();
  for (const { app_id: appId, id } of webhooks)
    byApp.set(appId, (byApp.get(appId) ?? 0) + (counts.get(id) ?? 0));
  return [...byApp].toSorted(([, a], [, b]) => b - a).map(([appId]) => appId);
}

/** An attempt that waits. Those of one webhook follow each other by `next_attempt_at`, then `id`. */
export type Waiting = Pick<DueAttempt, 'id' | 'message_id' | 'next_attempt_at' | 'failed_attempts'>;

/** A page of the attempts for a webhook that wait and whose message no other attempt takes care of. */
interface WaitingPage {
  readonly appId: string;
  readonly webhookId: string;
  /** The last one of the page before. */
  readonly after: Pick<Waiting, 'id' | 'next_attempt_at'> | null;
  readonly limit: number;
}

/** By when they are due. */
export async function listWaiting(
  db: Db,
  { appId, webhookId, after, limit }: WaitingPage,
): Promise<Waiting[]> {
  return await db
    .selectFrom('webhook_queue')
    .select(['id', 'message_id', 'next_attempt_at', 'failed_attempts'])
    .where('app_id', '=', appId)
    .where('webhook_id', '=', webhookId)
    .where(IS_DUE)
    .where('is_repeat', '=', 0)
    .$if(after !== null, (query) =>
      query
        .where('next_attempt_at', '>=', after?.next_attempt_at ?? '')
        .where(({ or, eb }) =>
          or([eb('next_attempt_at', '>', after?.next_attempt_at ?? ''), eb('id', '>', after?.id ?? '')]),
        ),
    )
    .orderBy('next_attempt_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** @returns the messages of those that still waited and are now deleted. */
export async function takeWaiting(
  tx: Transaction,
  { appId, ids }: { appId: string; ids: readonly string[] },
): Promise<string[]> {
  const taken = await tx
    .deleteFrom('webhook_queue')
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', ids))
    .where(IS_DUE)
    .returning('message_id')
    .execute();
  return taken.map((row) => row.message_id);
}
