import { sql } from 'kysely';
import type { AccuracyCountsTable, Db, Transaction } from '../../db/index.ts';
import { type CountedInstalls, SAMPLE_VERDICTS } from './count.ts';

/** Locks the day until the commit, so that one process at a time changes its counts. @returns how often its sample was halved. */
export async function lockDay(tx: Transaction, appId: string, day: string): Promise<number> {
  const { halvings } = await tx
    .insertInto('accuracy_days')
    .values({ app_id: appId, day, halvings: 0 })
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'day']).doUpdateSet({ halvings: sql`accuracy_days.halvings` }),
    )
    .returning('halvings')
    .executeTakeFirstOrThrow();
  return halvings;
}

/** The installs of the sample of a day. */
export async function countSample(tx: Transaction, appId: string, day: string): Promise<number> {
  const { installs } = await tx
    .selectFrom('accuracy_counts')
    .select(sql<number>`cast(coalesce(sum(installs), 0) as bigint)`.as('installs'))
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .where('verdict', 'in', SAMPLE_VERDICTS)
    .executeTakeFirstOrThrow();
  return installs;
}

export async function addCounts(
  tx: Transaction,
  appId: string,
  day: string,
  counts: readonly CountedInstalls[],
): Promise<void> {
  if (counts.length === 0) return;
  await tx
    .insertInto('accuracy_counts')
    .values(counts.map((count) => ({ app_id: appId, day, ...count })))
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'day', 'platform', 'verdict', 'percent'])
        .doUpdateSet({ installs: sql`accuracy_counts.installs + excluded.installs` }),
    )
    .execute();
}

/** Takes the sample of a day out of the counts. */
export async function takeSample(tx: Transaction, appId: string, day: string): Promise<CountedInstalls[]> {
  const taken = await tx
    .deleteFrom('accuracy_counts')
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .where('verdict', 'in', SAMPLE_VERDICTS)
    .returning(['platform', 'verdict', 'percent', 'installs'])
    .execute();
  return taken.map(toCount);
}

export async function updateHalvings(
  tx: Transaction,
  appId: string,
  { day, halvings }: { day: string; halvings: number },
): Promise<void> {
  await tx
    .updateTable('accuracy_days')
    .set({ halvings })
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .execute();
}

/** The counts of a range of days. */
export async function sumCounts(
  db: Db,
  appId: string,
  { fromDay, toDay }: { fromDay: string; toDay: string },
): Promise<CountedInstalls[]> {
  const sums = await db
    .selectFrom('accuracy_counts')
    .select(['platform', 'verdict', 'percent'])
    .select(sql<number>`cast(sum(installs) as bigint)`.as('installs'))
    .where('app_id', '=', appId)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .groupBy(['platform', 'verdict', 'percent'])
    .execute();
  return sums.map(toCount);
}

function toCount(row: Omit<AccuracyCountsTable, 'app_id' | 'day'>): CountedInstalls {
  return row as CountedInstalls;
}
