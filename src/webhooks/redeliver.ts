import { type Actor, canSee } from '../apps/index.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { insertDue } from './delivery/index.ts';
import { toDelivery } from './publish.ts';
import type { PublishingCtx } from './publishing-ctx.ts';
import { type AttemptRow, findAttempt, findWebhook } from './queries.ts';

/**
 * Sends what a delivery record tells of again: the same bytes under the same `webhook-id`, to where the webhook points
 * now, with attempts of its own.
 * @throws AppError `delivery.not_found`, `delivery.erased`, `webhook.not_found`, `webhook.disabled`.
 */
export async function redeliver(
  ctx: PublishingCtx,
  { actor, attemptId }: { actor: Actor; attemptId: string },
): Promise<AttemptRow> {
  const attempt = isUuid(attemptId)
    ? await findAttempt(ctx, actor.appId, attemptId.toLowerCase())
    : undefined;
  if (attempt === undefined || !canSee(actor, attempt)) throw new AppError('delivery.not_found');
  if (attempt.request_body === '') throw new AppError('delivery.erased');
  const webhook = await findWebhook(ctx.db, actor.appId, attempt.webhook_id);
  if (webhook === undefined) throw new AppError('webhook.not_found');
  if (webhook.enabled === 0) throw new AppError('webhook.disabled');

  const delivery = toDelivery(ctx, attempt);
  await insertDue(ctx, [delivery]);
  ctx.courier.wake([delivery]);
  return attempt;
}
