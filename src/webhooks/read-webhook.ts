import type { Actor } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import { AppError } from '../platform/errors.ts';
import { isUuid } from '../platform/ids.ts';
import { findWebhook } from './queries.ts';
import type { WebhookRow } from './webhook.ts';

/** Webhooks belong to the app and serve both modes: a test key sees them too. @throws AppError `webhook.not_found`. */
export async function readWebhook(
  ctx: Ctx,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<WebhookRow> {
  const webhook = isUuid(webhookId)
    ? await findWebhook(ctx.db, actor.appId, webhookId.toLowerCase())
    : undefined;
  if (webhook === undefined) throw new AppError('webhook.not_found');
  return webhook;
}
