import { namedFields, recordChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import type { Config } from '../config.ts';
import { type Db, toFlag } from '../db/index.ts';
import { type Clock, DAY_MS, isoTime } from '../lib/clock.ts';
import type { Ids } from '../lib/ids.ts';
import type { Secrets } from '../lib/secrets.ts';
import { dropPending } from './delivery/index.ts';
import { readOwnWebhook, updateWebhookRow } from './queries.ts';
import { UpdateWebhook, type UpdateWebhookInput } from './schemas.ts';
import {
  checkUrl,
  configText,
  isGiven,
  makeSecretIfAsked,
  secretOwner,
  type WebhookRow,
  webhookChange,
} from './webhook.ts';

/** While both the former and the new secret sign. */
const ROTATION_MS = DAY_MS;

/**
 * Changes the fields that are not null, so a template cannot be removed. Disabling drops pending deliveries.
 * @returns the webhook, its new secret if the service made it, and whether it was disabled before.
 * @throws AppError `webhook.not_found`; `request.invalid` for a forbidden address.
 */
export async function updateWebhook(
  { db, clock, ids, config, secrets }: { db: Db; clock: Clock; ids: Ids; config: Config; secrets: Secrets },
  { actor, webhookId, changes }: { actor: Actor; webhookId: string; changes: UpdateWebhookInput },
): Promise<{ webhook: WebhookRow; madeSecret: string | null; wasDisabled: boolean }> {
  const madeSecret = makeSecretIfAsked(changes.secret);
  if (typeof changes.url === 'string') checkUrl({ config }, changes.url);
  if (changes.enabled === true) {
    // Disabling drops a bounded number; the rest would be sent once the webhook is enabled.
    const { app_id: appId, id } = await readOwnWebhook(db, { actor, webhookId });
    while (await dropPending(db, appId, id));
  }
  return await db.transaction().execute(async (tx) => {
    const webhook = await readOwnWebhook(tx, { actor, webhookId });
    const columns = {
      ...changedColumns({ clock, secrets }, webhook, {
        ...changes,
        ...(madeSecret && { secret: madeSecret }),
      }),
      updated_at: isoTime(clock.nowMs()),
    };
    await updateWebhookRow(tx, webhook.app_id, webhook.id, columns);
    const fields = namedFields(UpdateWebhook, changes, isGiven);
    await recordChange(
      tx,
      { clock, ids },
      webhookChange(actor, webhook.id, { action: 'webhook.updated', fields }),
    );
    if (columns.enabled === 0) await dropPending(tx, webhook.app_id, webhook.id);
    return { webhook: { ...webhook, ...columns }, madeSecret, wasDisabled: webhook.enabled === 0 };
  });
}

function changedColumns(
  { clock, secrets }: { clock: Clock; secrets: Secrets },
  webhook: WebhookRow,
  { url, secret, events, enabled, template, templateConfig, retries }: UpdateWebhookInput,
): Partial<WebhookRow> {
  return {
    ...(isGiven(url) && { url }),
    ...(isGiven(events) && { events: JSON.stringify([...new Set(events)]) }),
    ...(isGiven(enabled) && { enabled: toFlag(enabled) }),
    ...(isGiven(template) && { template }),
    ...(isGiven(retries) && { retries }),
    ...(isGiven(templateConfig) && { template_config: configText(templateConfig) }),
    ...(isGiven(secret) && rotated({ clock, secrets }, webhook, secret)),
  };
}

/** The same secret again changes nothing: it must not replace the former one, which receivers may still use. */
function rotated(
  { clock, secrets }: { clock: Clock; secrets: Secrets },
  webhook: WebhookRow,
  secret: string,
): Partial<WebhookRow> {
  const owner = secretOwner(webhook);
  const former = webhook.secret === null ? null : secrets.decrypt(webhook.secret, owner);
  if (former === secret) return {};
  return {
    secret: secrets.encrypt(secret, owner),
    // A secret that cannot be decrypted cannot sign.
    former_secret: former === null ? null : webhook.secret,
    former_secret_until: former === null ? null : isoTime(clock.nowMs() + ROTATION_MS),
  };
}
