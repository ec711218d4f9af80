import { type Actor, lockApp } from '../apps/index.ts';
import { namedFields, recordChange } from '../audit/index.ts';
import type { Ctx } from '../ctx.ts';
import { AppError } from '../errors.ts';
import { isoTime } from '../lib/clock.ts';
import { insertWebhook, listWebhooks } from './queries.ts';
import { CreateWebhook, type CreateWebhookInput } from './schemas.ts';
import { checkUrl, configText, isGiven, secretOwner, type WebhookRow, webhookChange } from './webhook.ts';

/** Per app; bounds the deliveries that an event inserts. */
const MAX_WEBHOOKS = 100;

/** Creates an enabled webhook in the caller's transaction. @throws AppError `request.invalid`, `webhook.too_many`. */
export async function createWebhook(
  ctx: Ctx,
  { actor, ...input }: CreateWebhookInput & { actor: Actor },
): Promise<WebhookRow> {
  checkUrl(ctx, input.url);
  const secret = input.secret ?? null;
  const template = input.template ?? null;
  if (secret === null && template === null)
    throw new AppError('request.invalid', { message: 'secret is required when no template is given.' });
  await lockApp(ctx, actor.appId);
  if ((await listWebhooks(ctx.db, actor.appId)).length >= MAX_WEBHOOKS)
    throw new AppError('webhook.too_many');

  const key = { app_id: actor.appId, id: ctx.ids.next() };
  const now = isoTime(ctx.clock.nowMs());
  const webhook: WebhookRow = {
    ...key,
    url: input.url,
    secret: secret === null ? null : ctx.secrets.encrypt(secret, secretOwner(key)),
    former_secret: null,
    former_secret_until: null,
    events: JSON.stringify([...new Set(input.events ?? [])]),
    enabled: 1,
    template,
    template_config: input.templateConfig ? configText(input.templateConfig) : null,
    created_at: now,
    updated_at: now,
  };
  await insertWebhook(ctx.db, webhook);
  const fields = namedFields(CreateWebhook, input, isGiven);
  await recordChange(ctx, webhookChange(actor, webhook.id, { action: 'webhook.created', fields }));
  return webhook;
}
