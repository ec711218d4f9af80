import { sql } from 'kysely';
import type { Ctx } from '../platform/ctx.ts';
import { leastIdAt } from '../platform/ids.ts';

/**
 * Drops some of an app's postbacks that are not verified and came before.
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
    .where('verdict', '<>', sql.lit('verified'))
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
