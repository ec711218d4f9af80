/** Attempts in flight whose process is gone. */
import {
  type Db,
  forEachReachable,
  isAmong,
  isNodeAway,
  isShared,
  type Transaction,
} from '../../db/index.ts';
import type { Foundation } from '../../foundation.ts';
import { isoTime } from '../../lib/clock.ts';
import { findMessages, IS_IN_FLIGHT, type Lease, type LeasedAttempt } from './queue.ts';
import { insertResults } from './record-finished.ts';
import { INTERRUPTED } from './send.ts';

const RECOVERED_AT_ONCE = 1_000;

/** Across apps: records attempts whose lease was over at a time as interrupted; their messages are due again. */
export async function recordAbandoned(
  deps: Pick<Foundation, 'db' | 'clock' | 'ids'>,
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

/** As `recordAbandoned`; attempts of apps whose node is away stay for a later call. */
export async function recordReachable(
  deps: Pick<Foundation, 'db' | 'clock' | 'ids' | 'log'>,
  timeMs: number,
): Promise<void> {
  await recordAbandoned(deps, timeMs).catch((error: unknown) => {
    if (!isNodeAway(error)) throw error;
    const text = 'A node of the cluster is away: webhook attempts of its apps wait for it';
    deps.log.warn({ err: error }, text);
  });
}

/** @param appId null for all apps. */
async function recordAbandonedOf(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  timeMs: number,
  appId: string | null,
): Promise<void> {
  for (;;) {
    const count = await db.transaction().execute(async (tx) => {
      const abandoned = await takeAbandoned(tx, timeMs, { limit: RECOVERED_AT_ONCE, appId });
      const messages = await findMessages(tx, abandoned);
      const interrupted = abandoned.flatMap((row) => {
        const message = messages.get(row.message_id);
        if (message === undefined) return [];
        return { attempt: { id: ids.next(), row, message }, result: INTERRUPTED };
      });
      await insertResults(tx, { clock, ids }, interrupted);
      return abandoned.length;
    });
    if (count < RECOVERED_AT_ONCE) break;
  }
}

/** The apps of attempts whose lease was over at a time. */
async function listAppsOfAbandoned(db: Db, timeMs: number): Promise<string[]> {
  const apps = await db
    .selectFrom('webhook_queue')
    .select('app_id')
    .distinct()
    .where(IS_IN_FLIGHT)
    .where('lease_until', '<', isoTime(timeMs))
    .execute();
  return apps.map(({ app_id }) => app_id);
}

/** Removes attempts whose lease was over at a time, since their process is gone; of one app, or across apps. */
async function takeAbandoned(
  tx: Transaction,
  timeMs: number,
  { limit, appId }: { limit: number; appId: string | null },
): Promise<LeasedAttempt[]> {
  const abandoned = tx
    .selectFrom('webhook_queue')
    .select('id')
    .$if(appId !== null, (query) => query.where('app_id', '=', appId ?? ''))
    .where(IS_IN_FLIGHT)
    .where('lease_until', '<', isoTime(timeMs))
    .orderBy('lease_until')
    .limit(limit)
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked());
  return await tx
    .deleteFrom('webhook_queue')
    .where(isAmong(tx, 'id', abandoned))
    .returningAll()
    .$narrowType<Lease>()
    .execute();
}
