import type { AppDirectory } from '../apps/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Db } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Dispatcher } from './delivery/index.ts';
import { toMessage } from './publish.ts';
import { readWebhook } from './queries.ts';
import { toSubscription } from './subscriptions.ts';

/**
 * Sends `test.webhook` once, to a disabled webhook too. The attempt is in the delivery log.
 * @throws AppError `webhook.not_found`, `webhook.test_failed` with the reason.
 */
export async function testWebhook(
  {
    db,
    clock,
    ids,
    appDirectory,
    dispatcher,
  }: { db: Db; clock: Clock; ids: Ids; appDirectory: AppDirectory; dispatcher: Dispatcher },
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  const webhook = await readWebhook(db, { actor, webhookId });
  const app = await appDirectory.get(actor.appId);
  const message = toMessage({ ids }, app.id, toSubscription(webhook), {
    type: 'test.webhook',
    recordId: webhook.id,
    timestamp: isoTime(clock.nowMs()),
    isSandbox: false,
    data: {
      message: 'This is a test. Webhooks of this app arrive here.',
      appId: app.id,
      webhookId: webhook.id,
      appName: app.name,
    },
  });
  const { success, errorMessage } = await dispatcher.sendOnce(webhook, message);
  if (!success)
    throw new AppError('webhook.test_failed', {
      message: `The test delivery failed. ${errorMessage ?? ''} Check the receiver and the url of the webhook and test again.`,
      // In the delivery log.
      isLogged: true,
    });
}
