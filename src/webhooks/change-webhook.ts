import { randomBytes } from 'node:crypto';
import { lockApp } from '../apps/index.ts';
import { changedValues, namedFields, recordChange, type ValueChange } from '../audit/index.ts';
import type { Actor } from '../auth/index.ts';
import { type Transaction, toFlag } from '../db/index.ts';
import { AppError } from '../errors.ts';
import type { Foundation } from '../foundation.ts';
import { DAY_MS, isoTime } from '../lib/clock.ts';
import { NOT_PUBLIC, networksOf, parseNetworks, refusalOf } from '../lib/outgoing/index.ts';
import { withIdempotency } from '../server/idempotency.ts';
import { type Dispatcher, dropPending } from './attempts/index.ts';
import type { EnabledWebhooks } from './enabled-webhooks.ts';
import {
  deleteWebhookRow,
  insertWebhook,
  listWebhooks,
  readOwnWebhook,
  updateWebhookRow,
} from './queries.ts';
import {
  type ChangedBody,
  CreateWebhook,
  type CreateWebhookInput,
  presentChanged,
  presentWebhook,
  type UpdateWebhookInput,
} from './schemas.ts';
import {
  aboutWebhook,
  MASKED_PATH,
  maskAddress,
  secretOwner,
  type WebhookRow,
  webhookChange,
} from './webhook.ts';

/** Per app; bounds the attempts that an event inserts. */
const MAX_WEBHOOKS = 100;
/** While both the former and the new secret sign. */
const ROTATION_MS = DAY_MS;
/** What a request gives in place of a secret to get a new one. */
const GENERATE = 'generate';

type WritingDeps = Pick<Foundation, 'clock' | 'ids' | 'config' | 'secrets'>;
type ChangeDeps = WritingDeps &
  Pick<Foundation, 'db'> & { readonly webhooks: EnabledWebhooks; readonly dispatcher: Dispatcher };

/**
 * Creates a webhook; the same call with the same Idempotency-Key returns the first one's response.
 * @param key the Idempotency-Key, or null.
 * @throws AppError as `insertNewWebhook` and `withIdempotency`.
 */
export async function createWebhook(
  deps: ChangeDeps,
  { actor, key, input }: { actor: Actor; key: string | null; input: CreateWebhookInput },
): Promise<ChangedBody> {
  const { secrets } = deps;
  const scope = `POST /v1/webhooks ${actor.mode}`;
  const once = { appId: actor.appId, scope, key, body: input };
  const answer = await withIdempotency(deps, once, async (tx) => {
    const { webhook, madeSecret } = await insertNewWebhook(tx, deps, { actor, input });
    // As it is stored for the key, the response has the secret encrypted.
    const sealed = madeSecret === null ? null : secrets.encrypt(madeSecret, secretOwner(webhook));
    return { status: 201, body: presentChanged(webhook, actor, sealed) };
  });
  deps.webhooks.forget(actor.appId);
  const { secret: sealed, ...rest } = answer.body as ChangedBody;
  if (sealed === undefined) return rest;
  const secret = secrets.decrypt(sealed, secretOwner({ app_id: actor.appId, id: rest.id }));
  return { ...rest, ...(secret !== null && { secret }) };
}

/**
 * A test key's webhook receives sandbox events only.
 * @returns the webhook, and its secret if the service made it.
 * @throws AppError `request.invalid`, `webhook.too_many`.
 */
export async function insertNewWebhook(
  tx: Transaction,
  deps: WritingDeps,
  { actor, input }: { actor: Actor; input: CreateWebhookInput },
): Promise<{ webhook: WebhookRow; madeSecret: string | null }> {
  const { fields, madeSecret } = check(deps, input);
  if (!isGiven(fields.secret) && !isGiven(fields.template))
    throw new AppError('request.invalid', {
      message: 'secret is required when no template is given. Send one, or "generate" to get one.',
    });
  await lockApp(tx, actor.appId);
  if ((await listWebhooks(tx, actor.appId)).length >= MAX_WEBHOOKS) throw new AppError('webhook.too_many');
  const now = isoTime(deps.clock.nowMs());
  const empty: WebhookRow = {
    ...{ app_id: actor.appId, id: deps.ids.next(), url: input.url },
    ...{ secret: null, former_secret: null, former_secret_until: null },
    ...{ events: '[]', enabled: 1, template: null, template_config: null, retries: 'standard' },
    ...{ kind: 'webhook', name: null, type: null, config: null },
    ...{ event_names: null, mapping: null, consent: null },
    ...{ sandbox_only: toFlag(actor.mode === 'test'), created_at: now, updated_at: now },
  };
  const webhook: WebhookRow = { ...empty, ...columnsOf(deps, empty, fields) };
  await insertWebhook(tx, webhook);
  const fieldsGiven = namedFields(CreateWebhook, input, isGiven);
  const change = { action: 'webhook.created', about: aboutWebhook(webhook), fields: fieldsGiven } as const;
  await recordChange(tx, deps, webhookChange(actor, webhook.id, change));
  return { webhook, madeSecret };
}

/**
 * Changes the fields that are not null, so a template cannot be removed. Disabling drops due attempts.
 * @returns the webhook, and its new secret if the service made it.
 * @throws AppError `webhook.not_found`; `request.invalid` for a forbidden address.
 */
export async function updateWebhook(
  deps: ChangeDeps,
  { actor, webhookId, changes }: { actor: Actor; webhookId: string; changes: UpdateWebhookInput },
): Promise<{ webhook: WebhookRow; madeSecret: string | null }> {
  const { db, dispatcher } = deps;
  const { fields, madeSecret } = check(deps, changes);
  if (changes.enabled === true) {
    // Disabling drops a bounded number; the rest would be sent once the webhook is enabled.
    const { app_id: appId, id } = await readOwnWebhook(db, { actor, webhookId });
    while (await db.transaction().execute((tx) => dropPending(tx, appId, id)));
  }
  const { webhook, wasDisabled } = await db.transaction().execute(async (tx) => {
    const before = await readOwnWebhook(tx, { actor, webhookId });
    const columns = { ...columnsOf(deps, before, fields), updated_at: isoTime(deps.clock.nowMs()) };
    await updateWebhookRow(tx, before.app_id, before.id, columns);
    const after = { ...before, ...columns };
    const values = changesOf(before, after, actor);
    const change = { action: 'webhook.updated', about: aboutWebhook(after), changes: values } as const;
    await recordChange(tx, deps, webhookChange(actor, before.id, change));
    if (columns.enabled === 0) await dropPending(tx, before.app_id, before.id);
    return { webhook: after, wasDisabled: before.enabled === 0 };
  });
  deps.webhooks.forget(actor.appId);
  if (wasDisabled && webhook.enabled === 1) await dispatcher.endPause(webhook);
  else dispatcher.release(webhook);
  return { webhook, madeSecret };
}

/** Deletes a webhook and its due attempts; its log remains. @throws AppError `webhook.not_found`. */
export async function deleteWebhook(
  deps: Pick<ChangeDeps, 'db' | 'clock' | 'ids' | 'webhooks'>,
  { actor, webhookId }: { actor: Actor; webhookId: string },
): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const webhook = await readOwnWebhook(tx, { actor, webhookId });
    const { app_id: appId, id } = webhook;
    await deleteWebhookRow(tx, appId, id);
    const change = { action: 'webhook.deleted', about: aboutWebhook(webhook) } as const;
    await recordChange(tx, deps, webhookChange(actor, id, change));
    // Deletes a bounded number; `attempts/claim-due.ts` drops the rest.
    await dropPending(tx, appId, id);
  });
  deps.webhooks.forget(actor.appId);
}

/** Neither addresses nor secrets are in the audit log: an address may be one. */
function changesOf(before: WebhookRow, after: WebhookRow, actor: Actor): Record<string, ValueChange> {
  const valuesOf = (webhook: WebhookRow) => ({ ...presentWebhook(webhook, actor), url: webhook.url });
  const values = changedValues(valuesOf(before), valuesOf(after), (name, value) =>
    name === 'url' ? maskAddress(String(value)) : value,
  );
  return { ...values, ...(before.secret !== after.secret && { secret: {} }) };
}

/** False for null, which leaves a field unchanged in a request. */
function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** Checks the address, and makes the secret if the request asks for one. */
function check(
  { config }: Pick<Foundation, 'config'>,
  input: UpdateWebhookInput,
): { fields: UpdateWebhookInput; madeSecret: string | null } {
  if (isGiven(input.url)) checkUrl({ config }, input.url);
  const madeSecret = makeSecretIfAsked(input.secret);
  return { fields: { ...input, ...(madeSecret !== null && { secret: madeSecret }) }, madeSecret };
}

/** Checks the address as written; each attempt checks the resolved addresses. @throws AppError `request.invalid`. */
export function checkUrl({ config }: Pick<Foundation, 'config'>, url: string, field = 'url'): void {
  const refusal = refusalOf(url, parseNetworks(config.webhookAllowCidrs));
  if (refusal === null && new URL(url).pathname.toUpperCase().endsWith(MASKED_PATH))
    throw new AppError('request.invalid', {
      message: `${field} ends in “/…”, as addresses are shown to viewers. Send the whole address.`,
    });
  if (refusal === null) return;
  const remedy =
    refusal === NOT_PUBLIC
      ? ` If the receiver is meant to be there, whoever runs the service adds ${networksOf(url)} to WEBHOOK_ALLOW_CIDRS and starts the service again.`
      : '';
  throw new AppError('request.invalid', { message: `${field} ${refusal}.${remedy}` });
}

/**
 * A signing secret in the form of Standard Webhooks if the request asks for one, else null.
 * @throws AppError `request.invalid` for other spellings, which are hardly meant as a secret.
 */
function makeSecretIfAsked(secret: string | null | undefined): string | null {
  if (secret === GENERATE) return `whsec_${randomBytes(32).toString('base64')}`;
  if (secret?.replaceAll(/\s/g, '').toLowerCase() === GENERATE)
    throw new AppError('request.invalid', {
      message:
        'secret is not written as "generate". Send exactly that to get a secret, or a secret of your own.',
    });
  return null;
}

/** The columns of the fields that are given. */
function columnsOf(
  deps: Pick<Foundation, 'clock' | 'secrets'>,
  webhook: Pick<WebhookRow, 'app_id' | 'id' | 'secret'>,
  { url, secret, events, enabled, template, templateConfig, retries }: UpdateWebhookInput,
): Partial<WebhookRow> {
  return {
    ...(isGiven(url) && { url }),
    ...(isGiven(events) && { events: JSON.stringify([...new Set(events)]) }),
    ...(isGiven(enabled) && { enabled: toFlag(enabled) }),
    ...(isGiven(template) && { template }),
    ...(isGiven(retries) && { retries }),
    ...(isGiven(templateConfig) && { template_config: configText(templateConfig) }),
    ...(isGiven(secret) && secretColumns(deps, webhook, secret)),
  };
}

/** JSON of the known options; unknown ones are dropped. */
function configText({ mentionText, accentColor }: NonNullable<UpdateWebhookInput['templateConfig']>): string {
  return JSON.stringify({ mentionText, accentColor });
}

/** The same secret again changes nothing: it must not replace the former one, which receivers may still use. */
function secretColumns(
  { clock, secrets }: Pick<Foundation, 'clock' | 'secrets'>,
  webhook: Pick<WebhookRow, 'app_id' | 'id' | 'secret'>,
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
