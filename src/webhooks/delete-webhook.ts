import type { Actor } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { dropWaiting } from './delivery/index.ts';
import { deleteWebhookRow } from './queries.ts';
import { readWebhook } from './read-webhook.ts';
import { webhookChange } from './webhook-change.ts';

/** Deletes a webhook and what waits for it. Its delivery log stays. @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
  ctx: Ctx,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  await inTransaction(ctx, async (tx) => {
    const { app_id: appId, id } = await readWebhook(tx, { actor, webhookId });
    await deleteWebhookRow(tx.db, appId, id);
    await recordChange(tx, webhookChange(actor, id, { action: 'webhook.deleted' }));
    await dropWaiting(tx, appId, id);
  });
}
