import { sql } from 'kysely';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import type { ClickCountsTable } from '../platform/db/index.ts';
import { leastIdAt } from '../platform/ids.ts';

/**
 * Drops some of an app's clicks that were made before; their counts by day stay.
 * @returns how many: fewer than `limit` when none is left.
 */
export async function dropOldClicks(
  ctx: Ctx,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    const old = tx.db
      .selectFrom('clicks')
      .select('id')
      .where('app_id', '=', appId)
      .where('id', '<', leastIdAt(beforeMs))
      .orderBy('id')
      .limit(limit);
    const dropped = await tx.db
      .deleteFrom('clicks')
      .where('app_id', '=', appId)
      .where(tx.store.isAmong('id', old))
      .returning(['link_id', 'campaign_id', 'sandbox', 'visitor', 'platform', 'clicked_at'])
      .execute();
    const alike = Map.groupBy(dropped, (click) =>
      JSON.stringify({
        app_id: appId,
        link_id: click.link_id,
        day: click.clicked_at.slice(0, 'YYYY-MM-DD'.length),
        campaign_id: click.campaign_id ?? '',
        sandbox: click.sandbox,
        visitor: click.visitor,
        platform: click.platform ?? '',
      } satisfies Omit<ClickCountsTable, 'clicks'>),
    );
    for (const [kind, clicks] of alike) await addCount(tx, { ...JSON.parse(kind), clicks: clicks.length });
    return dropped.length;
  });
}

async function addCount({ db }: Ctx, count: ClickCountsTable): Promise<void> {
  await db
    .insertInto('click_counts')
    .values(count)
    .onConflict((conflict) =>
      conflict
        .columns(['app_id', 'link_id', 'day', 'campaign_id', 'sandbox', 'visitor', 'platform'])
        .doUpdateSet({ clicks: sql`click_counts.clicks + excluded.clicks` }),
    )
    .execute();
}

/** So many that a table which somebody holds for a while is made ready in time all the same. */
const DAYS_AHEAD = 7;

/** Makes room for the clicks of today and the next days, where the database keeps each day apart. */
export async function makeRoomForClicks({ store, clock }: Ctx): Promise<void> {
  await store.makePartitions('clicks', clock.nowMs(), DAYS_AHEAD);
}

/** Drops whole days of all apps at once, where the database keeps each day apart; their counts stay. */
export async function dropOldDays({ store }: Ctx, beforeMs: number): Promise<void> {
  await store.dropPartitions('clicks', beforeMs, async (tx, partition) => {
    await sql`insert into click_counts (app_id, link_id, day, campaign_id, sandbox, visitor, platform, clicks)
      select app_id, link_id, to_char(clicked_at at time zone 'UTC', 'YYYY-MM-DD'), coalesce(campaign_id, ''), sandbox,
        visitor, coalesce(platform, ''), count(*)
      from ${sql.table(partition)} group by 1, 2, 3, 4, 5, 6, 7
      on conflict (app_id, link_id, day, campaign_id, sandbox, visitor, platform)
      do update set clicks = click_counts.clicks + excluded.clicks`.execute(tx);
  });
}

/** Server's own: tombstones of which no click can be left that they would concern, and journals of processes long gone. */
export async function dropOldMarks({ db }: Ctx, before: string): Promise<void> {
  await db.deleteFrom('erased_addresses').where('erased_until', '<', before).execute();
  await db.deleteFrom('journals').where('seen_at', '<', before).execute();
}
