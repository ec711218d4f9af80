import { sql } from 'kysely';
import { type DailyCountsTable, type DailyUsageTable, type Db, type Flag, isAmong } from '../db/index.ts';
import { dayOf, isoTime } from '../lib/clock.ts';
import { COUNT_KEY, type CountedKind, type CountedRecord, toCounts } from './daily-counts.ts';
import type { OtherVisitor } from './link-stats.ts';

/** Also for `store.commit`. @param counts at least one. */
export function addCounts(db: Db, counts: readonly DailyCountsTable[]) {
  return db
    .insertInto('daily_counts')
    .values(counts)
    .onConflict((conflict) =>
      conflict.columns([...COUNT_KEY]).doUpdateSet({ n: sql`daily_counts.n + excluded.n` }),
    )
    .returning('n');
}

/** Subtracts deleted records from the counts of their days, in the transaction that deletes them. */
export async function subtractCounts(
  db: Db,
  kind: CountedKind,
  records: readonly CountedRecord[],
): Promise<void> {
  const counts = toCounts(db, kind, records).map((count) => ({ ...count, n: -count.n }));
  if (counts.length > 0) await addCounts(db, counts).execute();
}

/** A count of a link, its stripes added up. */
export interface LinkCount
  extends Pick<DailyCountsTable, 'day' | 'campaign_id' | 'platform' | 'method' | 'n'> {
  readonly kind: 'click' | CountedKind;
  /** Of clicks; empty for other records. */
  readonly visitor: 'human' | OtherVisitor | '';
}

/** The live or sandbox counts of a link in a range of days. */
export async function listLinkCounts(
  db: Db,
  appId: string,
  { linkId, sandbox, fromDay, toDay }: { linkId: string; sandbox: Flag; fromDay: string; toDay: string },
): Promise<LinkCount[]> {
  const by = ['day', 'kind', 'campaign_id', 'platform', 'method', 'visitor'] as const;
  const counts = await db
    .selectFrom('daily_counts')
    .select([...by, sql<number>`cast(sum(n) as bigint)`.as('n')])
    .where('app_id', '=', appId)
    .where('link_id', '=', linkId)
    .where('day', '>=', fromDay)
    .where('day', '<=', toDay)
    .where('sandbox', '=', sandbox)
    .groupBy(by)
    // Deletions of installs may leave counts of 0.
    .having(sql`sum(n)`, '<>', 0)
    .execute();
  return counts as LinkCount[];
}

/** A link's clicks by kind of visitor, or its installs. */
export interface LinkSums extends Pick<DailyCountsTable, 'link_id' | 'visitor' | 'n'> {
  readonly kind: 'click' | 'install';
}

/** The live or sandbox clicks and installs of links, summed over a range of days. */
export async function sumLinkCounts(
  db: Db,
  appId: string,
  where: { linkIds: readonly string[]; sandbox: Flag; fromDay: string; toDay: string },
): Promise<LinkSums[]> {
  const by = ['link_id', 'kind', 'visitor'] as const;
  const sums = await db
    .selectFrom('daily_counts')
    .select([...by, sql<number>`cast(sum(n) as bigint)`.as('n')])
    .where('app_id', '=', appId)
    .where(isAmong(db, 'link_id', where.linkIds))
    .where('day', '>=', where.fromDay)
    .where('day', '<=', where.toDay)
    .where('sandbox', '=', where.sandbox)
    .where('kind', 'in', ['click', 'install'])
    .groupBy(by)
    .execute();
  return sums as LinkSums[];
}

/** @param rows with distinct keys. @returns the new totals. */
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

/** Deletes up to `limit` of an app's oldest rows before the day of a time. @returns the number of deleted rows; 0 if none is left. */
export async function deleteOldUsage(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const oldest = await db
    .selectFrom('daily_usage')
    .select(['day', 'kind'])
    .where('app_id', '=', appId)
    .where('day', '<', dayOf(isoTime(beforeMs)))
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
    .where(isAmong(db, 'subject', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
