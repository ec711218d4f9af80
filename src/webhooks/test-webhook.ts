import type { Actor } from '../apps/index.ts';
import { isoTime } from '../platform/clock.ts';
import { AppError } from '../platform/errors.ts';
import { toMessage } from './publish.ts';
import type { PublishingCtx } from './publishing-ctx.ts';
import { readWebhook } from './read-webhook.ts';
import { toSubscription } from './subscriptions.ts';

/**
 * Sends `test.webhook` once, now, to a disabled webhook too. The attempt is in the delivery log.
 * @throws AppError `webhook.test_failed` that says why.
 */
export async function testWebhook(
  ctx: PublishingCtx,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  const webhook = await readWebhook(ctx, { actor, webhookId });
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
  const { success, errorMessage } = await ctx.courier.sendOnce(webhook, message);
  if (!success)
    throw new AppError('webhook.test_failed', {
      message: `The test did not arrive. ${errorMessage ?? ''} Check the receiver and the url of the webhook and test again.`,
    });
}
