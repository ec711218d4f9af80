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

/** Server's own: tombstones of which no click can be left that they would concern. */
export async function dropOldMarks({ db }: Ctx, before: string): Promise<void> {
  await db.deleteFrom('erased_addresses').where('erased_until', '<', before).execute();
}
