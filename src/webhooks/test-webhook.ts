import type { AppDirectory } from '../apps/index.ts';
import { recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { isoTime } from '../lib/clock.ts';
import type { Dispatcher } from './attempts/index.ts';
import { renderingOf } from './enabled-webhooks.ts';
import { toMessage } from './publish.ts';
import { readWebhook } from './queries.ts';
import { aboutWebhook, webhookChange } from './webhook.ts';

type TestDeps = Pick<Foundation, 'db' | 'clock' | 'ids'> & {
  readonly appDirectory: AppDirectory;
  readonly dispatcher: Dispatcher;
};

/**
 * Sends `test.webhook` once, to a disabled webhook too. The attempt is in the log.
 * @throws AppError `webhook.not_found`, `webhook.test_failed` with the reason.
 */
export async function testWebhook(
  { db, clock, ids, appDirectory, dispatcher }: TestDeps,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  const webhook = await readWebhook(db, { actor, webhookId });
  const app = await appDirectory.get(actor.appId);
  const message = toMessage({ ids }, app.id, renderingOf(webhook), {
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
  const about = aboutWebhook(webhook);
  const change = webhookChange(actor, webhook.id, { action: 'webhook.tested', about });
  await db.transaction().execute((tx) => recordChange(tx, { clock, ids }, change));
  const { success, errorMessage } = await dispatcher.sendOnce(webhook, message);
  if (!success)
    throw new AppError('webhook.test_failed', {
      message: `The test delivery failed. ${errorMessage ?? ''} Check the receiver and the url of the webhook and test again.`,
      // In the log of attempts.
      isLogged: true,
    });
}
