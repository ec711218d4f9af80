import type { Selectable } from 'kysely';
import type { Change } from '../audit/index.ts';
import { type Actor, authorOf, canSee } from '../auth/index.ts';
import { toFlag, type WebhooksTable } from '../db/index.ts';
import { TEMPLATES, type TemplateId } from './templates/index.ts';

export type WebhookRow = Selectable<WebhooksTable>;

/** In the order of the documentation. */
export const EVENT_TYPES = [
  'install.attributed',
  'install.organic',
  'install.network_attributed',
  'open.attributed',
  'open.direct',
  'event.recorded',
  'skan.postback_received',
  'host.problem',
  'host.recovered',
  'test.webhook',
] as const;

export type EventType = (typeof EVENT_TYPES)[number];

export const DESTINATION_TEST = 'test.destination';
/** Types of messages to other receivers than webhooks: batches of records, tests, and Apple's tokens. */
export const DESTINATION_MESSAGES = ['destination.batch', DESTINATION_TEST] as const;
/** @public The module of Apple's tokens inserts such messages. */
export const APPLE_ADS_TYPE = 'apple_ads.token';
export const OTHER_TYPES: readonly string[] = [...DESTINATION_MESSAGES, APPLE_ADS_TYPE];

export function isTest({ event_type: type }: { readonly event_type: string }): boolean {
  return type === 'test.webhook' || type === DESTINATION_TEST;
}

/** The contract's name for the Discord template. */
const DISCORD_ALIAS = 'the service';

/** Accepted template names. Each is returned as it was given. */
export const TEMPLATE_NAMES: readonly string[] = [...TEMPLATES.map(({ id }) => id), DISCORD_ALIAS];

/** @param name one of `TEMPLATE_NAMES`. */
export function templateOf(name: string): TemplateId {
  return name === DISCORD_ALIAS ? 'discord' : (name as TemplateId);
}

/** How long a message is tried: three attempts, or twelve within three days. */
export const RETRIES = ['standard', 'extended'] as const;
export type Retries = (typeof RETRIES)[number];

/** An address may be a credential, which a receiver may repeat in any spelling: only who may change the webhook sees either. */
export function seesAddress(actor: Actor, { sandboxOnly }: { sandboxOnly: number }): boolean {
  return actor.role !== 'viewer' && canSee(actor, { sandbox: sandboxOnly });
}

/** The path of a masked address, as a URL has it. */
export const MASKED_PATH = '/%E2%80%A6';

/** An address without what may be secret. */
export function maskAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/…`;
}

/** Binds the encryption of a secret to its webhook. */
export function secretOwner({ app_id: appId, id }: Pick<WebhookRow, 'app_id' | 'id'>): string {
  return `webhook ${appId} ${id}`;
}

/** The encrypted columns, for a change of the root secret. */
export const WEBHOOK_SECRETS = (['secret', 'former_secret'] as const).map(
  (column) => ({ table: 'webhooks', column, app: 'app_id', ownerOf: secretOwner }) as const,
);

/** What people know a webhook or destination by, for the audit log. */
export function aboutWebhook({
  kind,
  url,
  name,
  type,
}: Pick<WebhookRow, 'kind' | 'url' | 'name' | 'type'>): Readonly<Record<string, unknown>> {
  return kind === 'webhook' ? { address: maskAddress(url) } : { name, type };
}

/** The kinds that people make. */
export type MadeKind = 'webhook' | 'destination';

export const CODES = {
  webhook: { notFound: 'webhook.not_found', disabled: 'webhook.disabled' },
  destination: { notFound: 'destination.not_found', disabled: 'destination.disabled' },
} as const satisfies Record<MadeKind, object>;

/** The audit entry of a change. Test keys see the changes made with test keys. */
export function webhookChange(
  actor: Actor,
  recordId: string,
  change: Pick<Change, 'action' | 'fields' | 'changes' | 'about'>,
): Change {
  const sandbox = toFlag(actor.mode === 'test');
  return { appId: actor.appId, by: authorOf(actor), recordId, sandbox, ...change };
}
