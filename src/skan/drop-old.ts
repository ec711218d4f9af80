import type { Ctx } from '../platform/ctx.ts';
import { leastIdAt } from '../platform/ids.ts';
import { UNPROVEN } from './queries.ts';

/**
 * Drops some of an app's unproven postbacks that were received before a time.
 * @returns how many: none when none is left.
 */
export async function dropOldPostbacks(
  ctx: Ctx,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = ctx.db
    .selectFrom('postbacks')
    .select('id')
    .where('app_id', '=', appId)
    .where(UNPROVEN)
    .where('id', '<', leastIdAt(beforeMs))
    .orderBy('id')
    .limit(limit);
  const dropped = ctx.db
    .deleteFrom('postbacks')
    .where('app_id', '=', appId)
    .where(ctx.store.isAmong('id', old))
    .returning('id');
  return (await dropped.execute()).length;
}
