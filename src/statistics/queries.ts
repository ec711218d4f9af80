import { sql } from 'kysely';
import type { Ctx } from '../platform/ctx.ts';
import type { DailyCountsTable, Db, Flag } from '../platform/db/index.ts';
import { COUNT_KEY } from './daily-counts.ts';

/** Adds to the counts. For `store.commit` too: it changes a row for each that is given, of which there is one at least. */
export function addCounts(db: Db, counts: readonly DailyCountsTable[]) {
  return db
    .insertInto('daily_counts')
    .values(counts)
    .onConflict((conflict) =>
      conflict.columns([...COUNT_KEY]).doUpdateSet({ n: sql`daily_counts.n + excluded.n` }),
    )
    .returning('n');
}

/** A count of a link, its stripes added up. */
export type LinkCount = Pick<
  DailyCountsTable,
  'day' | 'kind' | 'campaign_id' | 'platform' | 'method' | 'visitor' | 'n'
>;

/** The counts of a link, live or sandbox ones, of some days. */
export async function listLinkCounts(
  db: Db,
  appId: string,
  { linkId, sandbox, fromDay, toDay }: { linkId: string; sandbox: Flag; fromDay: string; toDay: string },
): Promise<LinkCount[]> {
  const by = ['day', 'kind', 'campaign_id', 'platform', 'method', 'visitor'] as const;
  return await db
    .selectFrom('daily_counts')
    .select([...by, sql<number>`cast(sum(n) as bigint)`.as('n')])
    .where('app_id', '=', appId)
    .where('link_id', '=', linkId)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .where('sandbox', '=', sandbox)
    .groupBy(by)
    .execute();
}

/** Clicks by kind of visitor, or installs, of a link. */
export interface LinkSums extends Pick<DailyCountsTable, 'link_id' | 'visitor' | 'n'> {
  readonly kind: 'click' | 'install';
}

/** The clicks and installs of some links, live or sandbox ones, of some days together. */
export async function sumLinkCounts(
  { db, store }: Ctx,
  appId: string,
  where: { linkIds: readonly string[]; sandbox: Flag; fromDay: string; toDay: string },
): Promise<LinkSums[]> {
  const by = ['link_id', 'kind', 'visitor'] as const;
  const sums = await db
    .selectFrom('daily_counts')
    .select([...by, sql<number>`cast(sum(n) as bigint)`.as('n')])
    .where('app_id', '=', appId)
    .where(store.isAmong('link_id', where.linkIds))
    .where('day', '>=', where.fromDay)
    .where('day', '<=', where.toDay)
    .where('sandbox', '=', where.sandbox)
    .where('kind', 'in', ['click', 'install'])
    .groupBy(by)
    .execute();
  return sums as LinkSums[];
}
