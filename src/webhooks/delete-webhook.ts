import { recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import type { Clock } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import { dropPending } from './delivery/index.ts';
import { deleteWebhookRow, readOwnWebhook } from './queries.ts';
import { webhookChange } from './webhook.ts';

/** Deletes a webhook and its pending deliveries; its delivery log remains. @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
  { db, clock, ids }: { db: Db; clock: Clock; ids: Ids },
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  await db.transaction().execute(async (tx) => {
    const { app_id: appId, id } = await readOwnWebhook(tx, { actor, webhookId });
    await deleteWebhookRow(tx, appId, id);
    await recordChange(tx, { clock, ids }, webhookChange(actor, id, { action: 'webhook.deleted' }));
    // Deletes a bounded number; `delivery/claim-due.ts` drops the rest.
    await dropPending(tx, appId, id);
  });
}
