import { isoTime } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';

/** Forgets the former secrets of an app's webhooks that sign nothing any more. Gives how many. */
export async function forgetFormerSecrets({ db, clock }: Ctx, appId: string): Promise<number> {
  const { numUpdatedRows } = await db
    .updateTable('webhooks')
    .set({ former_secret: null, former_secret_until: null })
    .where('app_id', '=', appId)
    .where('former_secret_until', '<=', isoTime(clock.nowMs()))
    .executeTakeFirstOrThrow();
  return Number(numUpdatedRows);
}
