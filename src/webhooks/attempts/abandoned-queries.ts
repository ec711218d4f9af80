/** Deliveries in flight whose process is gone. */
import { type Db, isAmong, isShared, type Transaction } from '../../db/index.ts';
import { isoTime } from '../../lib/clock.ts';
import { IS_IN_FLIGHT, type Lease, type LeasedRow } from './queue.ts';

/** The apps of deliveries whose lease was over at a time. */
export async function listAppsOfAbandoned(db: Db, timeMs: number): Promise<string[]> {
  const apps = await db
    .selectFrom('webhook_deliveries')
    .select('app_id')
    .distinct()
    .where(IS_IN_FLIGHT)
    .where('lease_until', '<', isoTime(timeMs))
    .execute();
  return apps.map(({ app_id }) => app_id);
}

/** Removes deliveries whose lease was over at a time, since their process is gone; of one app, or across apps. */
export async function takeAbandoned(
  tx: Transaction,
  timeMs: number,
  { limit, appId }: { limit: number; appId: string | null },
): Promise<LeasedRow[]> {
  const abandoned = tx
    .selectFrom('webhook_deliveries')
    .select('id')
    .$if(appId !== null, (query) => query.where('app_id', '=', appId ?? ''))
    .where(IS_IN_FLIGHT)
    .where('lease_until', '<', isoTime(timeMs))
    .orderBy('lease_until')
    .limit(limit)
    .$if(isShared(tx), (query) => query.forUpdate().skipLocked());
  return await tx
    .deleteFrom('webhook_deliveries')
    .where(isAmong(tx, 'id', abandoned))
    .returningAll()
    .$narrowType<Lease>()
    .execute();
}
