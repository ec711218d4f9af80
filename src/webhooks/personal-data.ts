/** What webhooks were told may hold a person's data, and so may what receivers answered. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Ctx } from '../platform/ctx.ts';

/** Takes what was told of records, and what was answered to it, out of the log. What of it still waits is not sent. */
export async function eraseMessages(tx: Ctx, appId: string, recordIds: readonly string[]): Promise<number> {
  const erased = await tx.db
    .updateTable('webhook_messages')
    .set({ body: '' })
    .where('app_id', '=', appId)
    .where(tx.store.isAmong('record_id', recordIds))
    .where('body', '!=', '')
    .returning('id')
    .execute();
  await eraseAnswers(
    tx,
    appId,
    erased.map(({ id }) => id),
  );
  return erased.length;
}

const LOOK_AGAIN_MS = 50;

/** Waits until no attempt is under way that sends what was erased, and takes out what these were answered. */
export async function settleErased(ctx: Ctx, appId: string): Promise<void> {
  const underWay = new Set<string>();
  for (;;) {
    const now = await ctx.db
      .selectFrom('webhook_attempts_under_way as a')
      .innerJoin('webhook_messages as m', (join) =>
        join.onRef('m.app_id', '=', 'a.app_id').onRef('m.id', '=', 'a.message_id'),
      )
      .select('m.id')
      .distinct()
      .where('a.app_id', '=', appId)
      .where('m.body', '=', '')
      .execute();
    for (const { id } of now) underWay.add(id);
    if (now.length === 0) break;
    await sleep(LOOK_AGAIN_MS);
  }
  await eraseAnswers(ctx, appId, [...underWay]);
}

async function eraseAnswers(ctx: Ctx, appId: string, messageIds: readonly string[]): Promise<void> {
  if (messageIds.length === 0) return;
  await ctx.db
    .updateTable('webhook_attempts')
    .set({ response_body: '' })
    .where('app_id', '=', appId)
    .where(ctx.store.isAmong('message_id', messageIds))
    .where('response_body', '!=', '')
    .execute();
}
