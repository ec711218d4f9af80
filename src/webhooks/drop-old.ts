import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { leastIdAt } from '../platform/ids.ts';
import { eraseAnswers } from './personal-data.ts';

/** Of what is told and how it went; what waited so long goes with it. */
const TABLES = ['webhook_attempts', 'webhook_deliveries_due', 'webhook_messages'] as const;

/**
 * Drops some of an app's deliveries and messages that were made before.
 * @returns how many: none when none is left.
 */
export async function dropOldDeliveries(
  ctx: Ctx,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  return await inTransaction(ctx, async (tx) => {
    let dropped = 0;
    for (const table of TABLES) {
      const old = tx.db
        .selectFrom<(typeof TABLES)[number]>(table)
        .select('id')
        .where('app_id', '=', appId)
        .where('id', '<', leastIdAt(beforeMs))
        .orderBy('id')
        .limit(limit);
      const gone = tx.db
        .deleteFrom<(typeof TABLES)[number]>(table)
        .where('app_id', '=', appId)
        .where(tx.store.isAmong('id', old))
        .returning('id');
      const rows = await gone.execute();
      dropped += rows.length;
      // Sent again late, a message has an answer that is younger; no erasure would find it without the message.
      if (table === 'webhook_messages')
        await eraseAnswers(
          tx,
          appId,
          rows.map(({ id }) => id),
        );
    }
    return dropped;
  });
}
