import { insertAuditEntries } from '../../audit/index.ts';
import { type Db, forEachReachable, insertMany, isNodeAway, type Transaction } from '../../db/index.ts';
import type { Clock } from '../../lib/clock.ts';
import type { Ids } from '../../lib/ids.ts';
import { listAppsOfAbandoned, takeAbandoned } from './abandoned-queries.ts';
import { type FinishedAttempt, isFinalFailure, toAuditEntry, toHold, toLogRow, toRetry } from './attempt.ts';
import { type DueRow, deleteInFlight, dropDelivered, findMessages, insertDue } from './queue.ts';
import { type Hold, holdReceivers } from './receiver-queries.ts';
import { countResults, insertFailures } from './results.ts';
import { INTERRUPTED } from './send.ts';

const RECOVERED_AT_ONCE = 1_000;

/** What follows from recorded attempts. */
export interface Recorded {
  readonly retries: readonly DueRow[];
  readonly holds: readonly Hold[];
}

/**
 * Moves finished attempts into the log, and schedules retries. Skips an attempt that outlasted its lease and that
 * another process has recorded as interrupted.
 */
export async function recordFinished(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  finished: readonly FinishedAttempt[],
): Promise<Recorded> {
  const deliveries = finished.map(({ attempt }) => attempt.delivery);
  const deleted = await deleteInFlight(tx, deliveries);
  const own = finished.filter(({ attempt }) => deleted.has(attempt.delivery.id));
  return await insertResults(tx, { clock, ids }, own);
}

/** Across apps: records attempts whose lease was over at a time as interrupted; their deliveries are due again. */
export async function recordAbandoned(
  deps: { db: Db; clock: Clock; ids: Ids },
  timeMs: number,
): Promise<void> {
  try {
    await recordAbandonedOf(deps, timeMs, null);
  } catch (error) {
    if (!isNodeAway(error)) throw error;
    const appIds = await listAppsOfAbandoned(deps.db, timeMs);
    await forEachReachable(
      deps.db,
      appIds,
      (appId) => appId,
      (appId) => recordAbandonedOf(deps, timeMs, appId),
    );
  }
}

/** @param appId null for all apps. */
async function recordAbandonedOf(
  { db, clock, ids }: { db: Db; clock: Clock; ids: Ids },
  timeMs: number,
  appId: string | null,
): Promise<void> {
  for (;;) {
    const count = await db.transaction().execute(async (tx) => {
      const abandoned = await takeAbandoned(tx, timeMs, { limit: RECOVERED_AT_ONCE, appId });
      const messages = await findMessages(tx, abandoned);
      const interrupted = abandoned.flatMap((delivery) => {
        const message = messages.get(delivery.message_id);
        if (message === undefined) return [];
        return { attempt: { id: ids.next(), delivery, message }, result: INTERRUPTED };
      });
      await insertResults(tx, { clock, ids }, interrupted);
      return abandoned.length;
    });
    if (count < RECOVERED_AT_ONCE) break;
  }
}

async function insertResults(
  tx: Transaction,
  { clock, ids }: { clock: Clock; ids: Ids },
  finished: readonly FinishedAttempt[],
): Promise<Recorded> {
  const retries = finished.flatMap((each) => toRetry({ clock, ids }, each) ?? []);
  const holds = finished.flatMap((each) => toHold({ clock }, each) ?? []);
  const failures = finished.filter(isFinalFailure).map((each) => toAuditEntry({ clock, ids }, each));
  await insertMany(tx, 'webhook_attempts', finished.map(toLogRow));
  await insertDue(tx, retries);
  await insertAuditEntries(tx, failures);
  await insertFailures(tx, finished);
  const repeated = finished.filter(
    ({ attempt, result }) => result.success && attempt.delivery.is_repeat === 1,
  );
  await dropDelivered(
    tx,
    repeated.map(({ attempt }) => attempt.delivery),
  );
  // Last, since other processes wait for these rows.
  await countResults(tx, { clock }, finished);
  await holdReceivers(tx, holds);
  return { retries, holds };
}
