import { lockApp } from '../apps/index.ts';
import { namedFields, recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Config } from '../config.ts';
import { type Transaction, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { type Clock, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import { insertWebhook, listWebhooks } from './queries.ts';
import { CreateWebhook, type CreateWebhookInput } from './schemas.ts';
import {
  checkUrl,
  configText,
  isGiven,
  makeSecretIfAsked,
  secretOwner,
  type WebhookRow,
  webhookChange,
} from './webhook.ts';

/** Per app; bounds the deliveries that an event inserts. */
const MAX_WEBHOOKS = 100;

/**
 * A test key's webhook receives sandbox events only.
 * @returns the webhook, and its secret if the service made it.
 * @throws AppError `request.invalid`, `webhook.too_many`.
 */
export async function createWebhook(
  tx: Transaction,
  { clock, ids, config, secrets }: { clock: Clock; ids: Ids; config: Config; secrets: Secrets },
  { actor, ...input }: CreateWebhookInput & { actor: Actor },
): Promise<{ webhook: WebhookRow; madeSecret: string | null }> {
  checkUrl({ config }, input.url);
  const madeSecret = makeSecretIfAsked(input.secret);
  const secret = madeSecret ?? input.secret ?? null;
  const template = input.template ?? null;
  if (secret === null && template === null)
    throw new AppError('request.invalid', {
      message: 'secret is required when no template is given. Send one, or "generate" to get one.',
    });
  await lockApp(tx, actor.appId);
  if ((await listWebhooks(tx, actor.appId)).length >= MAX_WEBHOOKS) throw new AppError('webhook.too_many');

  const key = { app_id: actor.appId, id: ids.next() };
  const now = isoTime(clock.nowMs());
  const webhook: WebhookRow = {
    ...key,
    url: input.url,
    secret: secret === null ? null : secrets.encrypt(secret, secretOwner(key)),
    former_secret: null,
    former_secret_until: null,
    events: JSON.stringify([...new Set(input.events ?? [])]),
    enabled: toFlag(input.enabled ?? true),
    template,
    template_config: input.templateConfig ? configText(input.templateConfig) : null,
    sandbox_only: toFlag(actor.mode === 'test'),
    retries: input.retries ?? 'standard',
    created_at: now,
    updated_at: now,
  };
  await insertWebhook(tx, webhook);
  const fields = namedFields(CreateWebhook, input, isGiven);
  await recordChange(
    tx,
    { clock, ids },
    webhookChange(actor, webhook.id, { action: 'webhook.created', fields }),
  );
  return { webhook, madeSecret };
}
