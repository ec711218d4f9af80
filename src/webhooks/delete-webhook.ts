import type { Actor } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import type { Ctx } from '../ctx.ts';
import { dropPending } from './delivery/index.ts';
import { deleteWebhookRow, readWebhook } from './queries.ts';
import { webhookChange } from './webhook.ts';

/** Deletes a webhook and its pending deliveries; its delivery log remains. @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
  ctx: Ctx,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  await ctx.db.transaction().execute(async (tx) => {
    const { app_id: appId, id } = await readWebhook(tx, { actor, webhookId });
    await deleteWebhookRow(tx, appId, id);
    await recordChange(tx, ctx, webhookChange(actor, id, { action: 'webhook.deleted' }));
    // Deletes a bounded number; `delivery/claim-due.ts` drops the rest.
    await dropPending(tx, appId, id);
  });
}
