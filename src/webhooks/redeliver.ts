import { type Actor, canSee } from '../apps/index.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { dueNow } from './publish.ts';
import type { PublishingCtx } from './publishing-ctx.ts';
import { type AttemptRow, findAttempt, findWebhook, insertDeliveries } from './queries.ts';

/**
 * Sends what a delivery record tells of again: the same bytes under the same `webhook-id`, to where the webhook points
 * now, with attempts of its own.
 */
export async function redeliver(
  ctx: PublishingCtx,
  { actor, attemptId }: { actor: Actor; attemptId: string },
): Promise<AttemptRow> {
  const attempt = isUuid(attemptId)
    ? await findAttempt(ctx.db, actor.appId, attemptId.toLowerCase())
    : undefined;
  if (attempt === undefined || !canSee(actor, attempt)) throw new AppError('delivery.not_found');
  if (attempt.request_body === '') throw new AppError('delivery.erased');
  const webhook = await findWebhook(ctx.db, actor.appId, attempt.webhook_id);
  if (webhook === undefined) throw new AppError('webhook.not_found');
  if (webhook.enabled === 0) throw new AppError('webhook.disabled');

  const { app_id, webhook_id, message_id, event_type, sandbox, request_body } = attempt;
  const again = { app_id, webhook_id, message_id, event_type, sandbox, request_body };
  const delivery = { ...dueNow(ctx, ctx.ids.next()), ...again };
  await insertDeliveries(ctx.db, [delivery]).execute();
  ctx.courier.wake([delivery]);
  return attempt;
}
