import { sql } from 'kysely';
import type { Ctx } from '../platform/ctx.ts';
import type { DailyCountsTable, DailyUsageTable, Db, Flag } from '../platform/db/index.ts';
import { COUNT_KEY, type CountedKind, type CountedRecord, toCounts } from './daily-counts.ts';

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

/** Takes deleted records out of the counts of their days, in the transaction that deletes them. */
export async function subtractCounts(
  ctx: Ctx,
  kind: CountedKind,
  records: readonly CountedRecord[],
): Promise<void> {
  const counts = toCounts(ctx, kind, records).map((count) => ({ ...count, n: -count.n }));
  if (counts.length > 0) await addCounts(ctx.db, counts).execute();
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
    // Deleted installs take their counts back.
    .having(sql`sum(n)`, '<>', 0)
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

/** Adds to the usage of some keys, each given once. Gives the rows as they are then. */
export async function addUsage(db: Db, rows: readonly DailyUsageTable[]): Promise<DailyUsageTable[]> {
  return await db
    .insertInto('daily_usage')
    .values(rows)
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'day', 'kind', 'subject']).doUpdateSet({
        records: sql`daily_usage.records + excluded.records`,
        bytes: sql`daily_usage.bytes + excluded.bytes`,
      }),
    )
    .returningAll()
    .execute();
}

/** Deletes some of the rows of the oldest of an app's days before a day. Gives how many: none when none is left. */
export async function deleteOldUsage(
  { db, store }: Ctx,
  appId: string,
  { beforeDay, limit }: { beforeDay: string; limit: number },
): Promise<number> {
  const oldest = await db
    .selectFrom('daily_usage')
    .select(['day', 'kind'])
    .where('app_id', '=', appId)
    .where('day', '<', beforeDay)
    .orderBy('day')
    .orderBy('kind')
    .limit(1)
    .executeTakeFirst();
  if (oldest === undefined) return 0;
  const { day, kind } = oldest;
  const old = db
    .selectFrom('daily_usage')
    .select('subject')
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .where('kind', '=', kind)
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('daily_usage')
    .where('app_id', '=', appId)
    .where('day', '=', day)
    .where('kind', '=', kind)
    .where(store.isAmong('subject', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
