import type { Actor } from '../apps/index.ts';
import { AppError } from '../errors.ts';
import { isoTime } from '../lib/clock.ts';
import { type PublishingCtx, toMessage } from './publish.ts';
import { readWebhook } from './queries.ts';
import { toSubscription } from './subscriptions.ts';

/**
 * Sends `test.webhook` once, to a disabled webhook too. The attempt is in the delivery log.
 * @throws AppError `webhook.not_found`, `webhook.test_failed` with the reason.
 */
export async function testWebhook(
  ctx: PublishingCtx,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  const webhook = await readWebhook(ctx.db, { actor, webhookId });
  const app = await ctx.appDirectory.get(actor.appId);
  const message = toMessage(ctx, app.id, toSubscription(webhook), {
    type: 'test.webhook',
    recordId: webhook.id,
    timestamp: isoTime(ctx.clock.nowMs()),
    isSandbox: false,
    data: {
      message: 'This is a test. Webhooks of this app arrive here.',
      appId: app.id,
      webhookId: webhook.id,
      appName: app.name,
    },
  });
  const { success, errorMessage } = await ctx.dispatcher.sendOnce(webhook, message);
  if (!success)
    throw new AppError('webhook.test_failed', {
      message: `The test delivery failed. ${errorMessage ?? ''} Check the receiver and the url of the webhook and test again.`,
      // In the delivery log.
      isLogged: true,
    });
}
