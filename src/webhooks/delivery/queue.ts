/** Every statement on what is due and on attempts under way. They run in the courier's transactions. */
import { isoTime } from '../../platform/clock.ts';
import type { Ctx } from '../../platform/ctx.ts';
import type { Db } from '../../platform/db/index.ts';
import type { AttemptRow, DueRow } from '../queries.ts';
import { ATTEMPT_TIMEOUT_MS, INTERRUPTED } from './send.ts';

/** Longer than an attempt: whoever holds a lease is done before it ends, or is gone. */
export const LEASE_MS = ATTEMPT_TIMEOUT_MS + 5_000;

/** Takes what is due, oldest first: nobody else sends it until the lease ends. */
export async function leaseDue(
  tx: Ctx,
  { appId, webhookId }: { appId: string; webhookId: string },
  limit: number,
): Promise<DueRow[]> {
  const nowMs = tx.clock.nowMs();
  const now = isoTime(nowMs);
  return await tx.db
    .with('due', (db) =>
      db
        .selectFrom('webhook_deliveries_due')
        .select(['app_id', 'id'])
        .where('app_id', '=', appId)
        .where('webhook_id', '=', webhookId)
        .where('due_at', '<=', now)
        .where((where) => where.or([where('leased_until', 'is', null), where('leased_until', '<=', now)]))
        .orderBy('due_at')
        .limit(limit)
        // Other processes pass over what this one is taking.
        .$if(tx.store.isShared, (query) => query.forUpdate().skipLocked()),
    )
    .updateTable('webhook_deliveries_due as d')
    .from('due')
    .set({ lease_id: tx.ids.next(), leased_until: isoTime(nowMs + LEASE_MS) })
    // By the primary key, row by row: with `app_id` alone a plan made while little waited reads all that waits.
    .whereRef('d.app_id', '=', 'due.app_id')
    .whereRef('d.id', '=', 'due.id')
    // SQLite knows no `d.*` here; PostgreSQL gives the two columns of `due` again.
    .returningAll()
    .execute();
}

/** Attempts that are about to begin. */
export async function insertAttempts(tx: Ctx, attempts: readonly AttemptRow[]): Promise<void> {
  await tx.store.insertMany(tx.db, 'webhook_attempts', attempts);
}

/** How attempts ended. Their records are there, so the bytes that were sent need not be brought again. */
export async function completeAttempts(tx: Ctx, attempts: readonly AttemptRow[]): Promise<void> {
  const ends = attempts.map((attempt) => ({ ...attempt, request_body: '' }));
  await tx.store.insertMany(tx.db, 'webhook_attempts', ends, [
    'http_status',
    'response_body',
    'error_message',
    'success',
    'duration_ms',
    'finished_at',
  ]);
}

/** Deliveries that arrived or were given up, as far as their leases are still ours. */
export async function deleteDue(db: Db, deliveries: readonly DueRow[]): Promise<void> {
  for (const { appId, ids, leaseIds } of byApp(deliveries))
    await db
      .deleteFrom('webhook_deliveries_due')
      .where('app_id', '=', appId)
      .where('id', 'in', ids)
      .where('lease_id', 'in', leaseIds)
      .execute();
}

/** Gives deliveries back, to be tried again from then on. */
export async function releaseDue(
  db: Db,
  deliveries: readonly DueRow[],
  next: { failedAttempts: number; dueAt: string },
): Promise<void> {
  for (const { appId, ids, leaseIds } of byApp(deliveries))
    await db
      .updateTable('webhook_deliveries_due')
      .set({ failed_attempts: next.failedAttempts, due_at: next.dueAt, lease_id: null, leased_until: null })
      .where('app_id', '=', appId)
      .where('id', 'in', ids)
      .where('lease_id', 'in', leaseIds)
      .execute();
}

function byApp(deliveries: readonly DueRow[]): { appId: string; ids: string[]; leaseIds: string[] }[] {
  return [...Map.groupBy(deliveries, ({ app_id: appId }) => appId)].map(([appId, ofApp]) => ({
    appId,
    ids: ofApp.map(({ id }) => id),
    leaseIds: [...new Set(ofApp.flatMap(({ lease_id: leaseId }) => leaseId ?? []))],
  }));
}

/** Server's own: gives back what a process that is gone had taken. Only where no other process is there. */
export async function releaseAllLeases(db: Db): Promise<void> {
  await db
    .updateTable('webhook_deliveries_due')
    .set({ lease_id: null, leased_until: null })
    .where('lease_id', 'is not', null)
    .execute();
}

/** Server's own: attempts that began before and whose end nobody will tell. */
export async function markInterrupted(ctx: Ctx, startedBeforeMs: number): Promise<void> {
  await ctx.db
    .updateTable('webhook_attempts')
    .set({ error_message: INTERRUPTED, finished_at: isoTime(ctx.clock.nowMs()) })
    .where('finished_at', 'is', null)
    .where('started_at', '<', isoTime(startedBeforeMs))
    .execute();
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
