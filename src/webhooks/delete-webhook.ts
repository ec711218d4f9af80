import { recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Foundation } from '../foundation.ts';
import { dropPending } from './attempts/index.ts';
import { deleteWebhookRow, readOwnWebhook } from './queries.ts';
import { webhookChange } from './webhook.ts';

/** Deletes a webhook and its pending deliveries; its delivery log remains. @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
  { db, clock, ids }: Pick<Foundation, 'db' | 'clock' | 'ids'>,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { app_id: appId, id } = await readOwnWebhook(tx, { actor, webhookId });
    await deleteWebhookRow(tx, appId, id);
    await recordChange(tx, { clock, ids }, webhookChange(actor, id, { action: 'webhook.deleted' }));
    // Deletes a bounded number; `attempts/claim-due.ts` drops the rest.
    await dropPending(tx, appId, id);
  });
}
