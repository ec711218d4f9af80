import { lockApp } from '../../apps/index.ts';
import { changedValues, namedFields, recordChange, type ValueChange } from '../../audit/index.ts';
import type { Actor } from '../../auth/index.ts';
import { type Transaction, toFlag } from '../../db/index.ts';
import { AppError } from '../../errors.ts';
import type { Foundation } from '../../foundation.ts';
import { canonicalJson } from '../../lib/canonical-json.ts';
import { isoTime } from '../../lib/clock.ts';
import { withIdempotency } from '../../server/idempotency.ts';
import { type Dispatcher, dropPending } from '../attempts/index.ts';
import type { EnabledWebhooks } from '../enabled-webhooks.ts';
import {
  deleteWebhookRow,
  insertWebhook,
  listWebhooks,
  readOwnWebhook,
  updateWebhookRow,
} from '../queries.ts';
import { aboutWebhook, maskAddress, secretOwner, type WebhookRow, webhookChange } from '../webhook.ts';
import { ADDRESSES, checkConfig, checkMapping } from './check-config.ts';
import { type AnyType, type Config, readConfig, typeOf } from './destination.ts';
import {
  CreateDestination,
  type CreateDestinationInput,
  presentDestination,
  type UpdateDestinationInput,
} from './schemas.ts';

/** Per app, of live keys and of test keys each: bounds the batches that a record causes. */
const MAX_DESTINATIONS = 20;
const KIND = 'destination';

type WritingDeps = Pick<Foundation, 'clock' | 'ids' | 'config' | 'secrets'>;
export type ChangeDeps = WritingDeps &
  Pick<Foundation, 'db'> & { readonly webhooks: EnabledWebhooks; readonly dispatcher: Dispatcher };

/**
 * Creates a destination; the same call with the same Idempotency-Key returns the first one's response. A test key's gets
 * sandbox records, any other live ones.
 * @throws AppError `request.invalid`, `destination.too_many`, and as `withIdempotency`.
 */
export async function createDestination(
  deps: ChangeDeps,
  { actor, key, input }: { actor: Actor; key: string | null; input: CreateDestinationInput },
): Promise<ReturnType<typeof presentDestination>> {
  const once = { appId: actor.appId, scope: `POST /v1/destinations ${actor.mode}`, key, body: input };
  const { body } = await withIdempotency(deps, once, async (tx) => {
    const row = await insertDestination(tx, deps, { actor, input });
    return { status: 201, body: presentDestination(deps, row, actor) };
  });
  deps.webhooks.forget(actor.appId);
  return body as ReturnType<typeof presentDestination>;
}

async function insertDestination(
  tx: Transaction,
  deps: WritingDeps,
  { actor, input }: { actor: Actor; input: CreateDestinationInput },
): Promise<WebhookRow> {
  const type = typeOf(input.type);
  if (type === null) throw new AppError('request.invalid', { message: `type ${input.type} is unknown.` });
  await lockApp(tx, actor.appId);
  const sandbox_only = toFlag(actor.mode === 'test');
  const others = await listWebhooks(tx, actor.appId, KIND);
  if (others.filter((each) => each.sandbox_only === sandbox_only).length >= MAX_DESTINATIONS)
    throw new AppError('destination.too_many');
  const now = isoTime(deps.clock.nowMs());
  const empty: WebhookRow = {
    ...{ app_id: actor.appId, id: deps.ids.next(), kind: KIND, url: '', type: input.type, name: input.name },
    ...{ config: '{}', secret: null, former_secret: null, former_secret_until: null },
    ...{ events: '[]', event_names: null, mapping: null, consent: 'granted', enabled: 1 },
    // A wrong key must not lose the records of a day.
    ...{ template: null, template_config: null, retries: 'extended' },
    ...{ sandbox_only, created_at: now, updated_at: now },
  };
  const config = withoutNulls(input.config);
  const row = { ...empty, ...columnsOf(deps, type, { row: empty, changes: { ...input, config }, config }) };
  await insertWebhook(tx, row);
  const fields = namedFields(CreateDestination, input);
  const change = { action: 'destination.created', about: aboutWebhook(row), fields } as const;
  await recordChange(tx, deps, webhookChange(actor, row.id, change));
  return row;
}

/**
 * Changes the given fields. Waiting batches are sent with the new config. Disabling drops them; a recovery finds them.
 * @throws AppError `destination.not_found`, `request.invalid`.
 */
export async function updateDestination(
  deps: ChangeDeps,
  { actor, id: webhookId, changes }: { actor: Actor; id: string; changes: UpdateDestinationInput },
): Promise<WebhookRow> {
  const { db, dispatcher } = deps;
  const own = { actor, webhookId, kind: KIND } as const;
  if (changes.enabled === true) {
    // Disabling drops a bounded number; the rest would be sent once the destination is enabled.
    const { app_id: appId, id } = await readOwnWebhook(db, own);
    while (await db.transaction().execute((tx) => dropPending(tx, appId, id)));
  }
  const { row, before } = await db.transaction().execute(async (tx) => {
    const before = await readOwnWebhook(tx, own);
    const type = typeOf(before.type);
    if (type === null) throw new AppError('destination.not_found');
    const former = readConfig(deps, before);
    const config = newConfig(type, { former, row: before, changes: changes.config ?? {} });
    const columns = columnsOf(deps, type, { row: before, changes, config });
    const row = { ...before, ...columns, updated_at: isoTime(deps.clock.nowMs()) };
    await updateWebhookRow(tx, before.app_id, before.id, row);
    const values = changesOf(deps, { before, after: row, actor });
    const change = { action: 'destination.updated', about: aboutWebhook(row), changes: values } as const;
    await recordChange(tx, deps, webhookChange(actor, before.id, change));
    if (row.enabled === 0) await dropPending(tx, before.app_id, before.id);
    return { row, before };
  });
  deps.webhooks.forget(actor.appId);
  const isRepaired = row.secret !== before.secret || row.config !== before.config;
  if (row.enabled === 1 && (before.enabled === 0 || isRepaired)) await dispatcher.endPause(row);
  else dispatcher.release(row);
  // What failed before would wait for hours.
  if (isRepaired) await dispatcher.hasten(row);
  return row;
}

/** Deletes a destination and what waits for it; its log remains. @throws AppError `destination.not_found`. */
export async function deleteDestination(
  deps: Pick<ChangeDeps, 'db' | 'clock' | 'ids' | 'webhooks'>,
  { actor, id: webhookId }: { actor: Actor; id: string },
): Promise<void> {
  await deps.db.transaction().execute(async (tx) => {
    const row = await readOwnWebhook(tx, { actor, webhookId, kind: KIND });
    await deleteWebhookRow(tx, row.app_id, row.id);
    const change = { action: 'destination.deleted', about: aboutWebhook(row) } as const;
    await recordChange(tx, deps, webhookChange(actor, row.id, change));
    // Deletes a bounded number; `attempts/claim-due.ts` drops the rest.
    await dropPending(tx, row.app_id, row.id);
  });
  deps.webhooks.forget(actor.appId);
}

/** @param former null if its secret fields cannot be decrypted: they are to be sent again. */
function newConfig(
  type: AnyType,
  { former, row, changes }: { former: Config | null; row: WebhookRow; changes: Config },
): Config {
  const before = former ?? (JSON.parse(row.config ?? '{}') as Config);
  const isMoved = ADDRESSES.some((name) => name in changes && changes[name] !== before[name]);
  const missing = type.secrets.find((name) => name in before && !(name in changes));
  // Else a new receiver would be told a secret that nobody can read here.
  if (isMoved && missing !== undefined)
    throw new AppError('request.invalid', {
      message: `config.${missing} is required with another address: the one that is stored is sent to no other. Send it again.`,
    });
  return withoutNulls({ ...before, ...changes });
}

function withoutNulls(config: Config): Config {
  return Object.fromEntries(Object.entries(config).filter(([, value]) => value !== null));
}

function columnsOf(
  deps: Pick<Foundation, 'config' | 'secrets'>,
  type: AnyType,
  { row, changes, config }: { row: WebhookRow; changes: UpdateDestinationInput; config: Config },
): Partial<WebhookRow> {
  const { name, events, eventNames, mapping, consent, enabled } = changes;
  if (mapping) checkMapping(type, mapping);
  return {
    ...(name !== undefined && { name }),
    ...(changes.config !== undefined && configColumns(deps, type, { row, config })),
    ...(events !== undefined && { events: JSON.stringify([...new Set(events)]) }),
    ...(eventNames !== undefined && { event_names: JSON.stringify([...new Set(eventNames ?? [])]) }),
    ...(mapping !== undefined && { mapping: mapping === null ? null : JSON.stringify(mapping) }),
    ...(consent !== undefined && { consent }),
    ...(enabled !== undefined && { enabled: toFlag(enabled) }),
  };
}

function configColumns(
  deps: Pick<Foundation, 'config' | 'secrets'>,
  type: AnyType,
  { row, config }: { row: WebhookRow; config: Config },
): Partial<WebhookRow> {
  checkConfig(deps, type, config);
  const isSecret = new Set<string>(type.secrets);
  const [secret, open] = [true, false].map((of) =>
    Object.fromEntries(Object.entries(config).filter(([name]) => isSecret.has(name) === of)),
  );
  const former = readConfig(deps, row);
  const isSame =
    former !== null &&
    Object.keys(secret ?? {}).every((name) => canonicalJson(former[name]) === canonicalJson(config[name]));
  const isKept =
    isSame && row.secret !== null && type.secrets.every((name) => name in config === name in former);
  return {
    config: JSON.stringify(open),
    secret: isKept ? row.secret : deps.secrets.encrypt(JSON.stringify(secret), secretOwner(row)),
  };
}

/** No address and no secret is in the audit log. */
function changesOf(
  deps: Pick<Foundation, 'secrets'>,
  { before, after, actor }: { before: WebhookRow; after: WebhookRow; actor: Actor },
): Record<string, ValueChange> {
  const valuesOf = (row: WebhookRow) => {
    const { config, secretsSet: _, ...values } = presentDestination(deps, row, actor);
    return {
      ...values,
      ...Object.fromEntries(Object.entries(config).map(([name, value]) => [`config.${name}`, value])),
    };
  };
  const values = changedValues(valuesOf(before), valuesOf(after), (name, value) =>
    ADDRESSES.some((each) => name === `config.${each}`) && typeof value === 'string'
      ? maskAddress(value)
      : value,
  );
  return { ...values, ...(before.secret !== after.secret && { secret: {} }) };
}
