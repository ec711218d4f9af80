import type { Actor } from '../apps/index.ts';
import { namedFields, recordChange } from '../audit/index.ts';
import { DAY_MS, isoTime } from '../platform/clock.ts';
import { type Ctx, inTransaction } from '../platform/ctx.ts';
import { toFlag } from '../platform/db/index.ts';
import { checkUrl } from './check-url.ts';
import { dropWaiting } from './delivery/index.ts';
import { updateWebhookRow } from './queries.ts';
import { readWebhook } from './read-webhook.ts';
import { UpdateWebhook, type UpdateWebhookInput } from './schemas.ts';
import { configText, isGiven, secretOwner, type WebhookRow } from './webhook.ts';
import { webhookChange } from './webhook-change.ts';

/** For how long the former secret signs beside the new one. */
const ROTATION_MS = DAY_MS;

/**
 * Changes what is given and not null: what signs nothing keeps its template. Disabled, a webhook gets nothing more, and
 * what waited for it is dropped.
 * @throws AppError `webhook.not_found`; `request.invalid` for an address that nothing may be sent to.
 */
export async function updateWebhook(
  ctx: Ctx,
  { actor, webhookId, changes }: { actor: Actor; webhookId: string; changes: UpdateWebhookInput },
): Promise<WebhookRow> {
  if (typeof changes.url === 'string') checkUrl(ctx, changes.url);
  if (changes.enabled === true) await dropAllWaiting(ctx, await readWebhook(ctx, { actor, webhookId }));
  return await inTransaction(ctx, async (tx) => {
    const webhook = await readWebhook(tx, { actor, webhookId });
    const columns = { ...changedColumns(tx, webhook, changes), updated_at: isoTime(tx.clock.nowMs()) };
    await updateWebhookRow(tx.db, webhook.app_id, webhook.id, columns);
    const fields = namedFields(UpdateWebhook, changes, isGiven);
    await recordChange(tx, webhookChange(actor, webhook.id, { action: 'webhook.updated', fields }));
    if (columns.enabled === 0) await dropWaiting(tx, webhook.app_id, webhook.id);
    return { ...webhook, ...columns };
  });
}

/** What waited when a webhook was disabled is dropped little by little, and would be sent once it is enabled again. */
async function dropAllWaiting(ctx: Ctx, { app_id: appId, id }: WebhookRow): Promise<void> {
  while (await dropWaiting(ctx, appId, id));
}

function changedColumns(
  ctx: Ctx,
  webhook: WebhookRow,
  { url, secret, events, enabled, template, templateConfig }: UpdateWebhookInput,
): Partial<WebhookRow> {
  return {
    ...(isGiven(url) && { url }),
    ...(isGiven(events) && { events: JSON.stringify([...new Set(events)]) }),
    ...(isGiven(enabled) && { enabled: toFlag(enabled) }),
    ...(isGiven(template) && { template }),
    ...(isGiven(templateConfig) && { template_config: configText(templateConfig) }),
    ...(isGiven(secret) && rotated(ctx, webhook, secret)),
  };
}

/** Receivers need time to learn the new secret; sent once more, the same one must not push the former one out. */
function rotated(ctx: Ctx, webhook: WebhookRow, secret: string): Partial<WebhookRow> {
  const owner = secretOwner(webhook);
  const former = webhook.secret === null ? null : ctx.secrets.decrypt(webhook.secret, owner);
  if (former === secret) return {};
  return {
    secret: ctx.secrets.encrypt(secret, owner),
    // One that cannot be read any more signs nothing.
    former_secret: former === null ? null : webhook.secret,
    former_secret_until: former === null ? null : isoTime(ctx.clock.nowMs() + ROTATION_MS),
  };
}
