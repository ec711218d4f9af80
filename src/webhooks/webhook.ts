import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Change } from '../audit/index.ts';
import { type Actor, authorOf, canSee } from '../auth/index.ts';
import type { Config } from '../config.ts';
import { toFlag, type WebhooksTable } from '../db/index.ts';
import { AppError } from '../errors.ts';
import { NOT_PUBLIC, parseNetworks, refusalOf } from '../lib/outgoing/index.ts';
import { TEMPLATES, type TemplateConfig, type TemplateId } from './templates/index.ts';

export type WebhookRow = Selectable<WebhooksTable>;

/** The contract's name for the Discord template. */
const DISCORD_ALIAS = 'the service';

/** Accepted template names. Each is returned as it was given. */
export const TEMPLATE_NAMES: readonly string[] = [...TEMPLATES.map(({ id }) => id), DISCORD_ALIAS];

/** @param name one of `TEMPLATE_NAMES`. */
export function templateOf(name: string): TemplateId {
  return name === DISCORD_ALIAS ? 'discord' : (name as TemplateId);
}

/** How long a failed delivery is retried: three attempts, or twelve within three days. */
export const RETRIES = ['standard', 'extended'] as const;
export type Retries = (typeof RETRIES)[number];

/** JSON of the known options; unknown ones are dropped. */
export function configText({ mentionText, accentColor }: Partial<TemplateConfig>): string {
  return JSON.stringify({ mentionText, accentColor });
}

/** False for null, which leaves a field unchanged in a request. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** What a request gives in place of a secret to get a new one. */
const GENERATE = 'generate';

/**
 * A signing secret in the form of Standard Webhooks if the request asks for one, else null.
 * @throws AppError `request.invalid` for other spellings, which are hardly meant as a secret.
 */
export function makeSecretIfAsked(secret: string | null | undefined): string | null {
  if (secret === GENERATE) return `whsec_${randomBytes(32).toString('base64')}`;
  if (secret?.replaceAll(/\s/g, '').toLowerCase() === GENERATE)
    throw new AppError('request.invalid', {
      message:
        'secret is not written as "generate". Send exactly that to get a secret, or a secret of your own.',
    });
  return null;
}

/** An address may be a credential, which a receiver may repeat in any spelling: only who may change the webhook sees either. */
export function seesAddress(actor: Actor, { sandboxOnly }: { sandboxOnly: number }): boolean {
  return actor.role !== 'viewer' && canSee(actor, { sandbox: sandboxOnly });
}

/** The path of a masked address, as a URL has it. */
const MASKED_PATH = '/%E2%80%A6';

/** An address without what may be secret. */
export function maskAddress(url: string): string {
  const { protocol, host } = new URL(url);
  return `${protocol}//${host}/…`;
}

/** Binds the encryption of a secret to its webhook. */
export function secretOwner({ app_id: appId, id }: Pick<WebhookRow, 'app_id' | 'id'>): string {
  return `webhook ${appId} ${id}`;
}

/** Checks the address as written; each attempt checks the resolved addresses. @throws AppError `request.invalid`. */
export function checkUrl({ config }: { config: Config }, url: string): void {
  const refusal = refusalOf(url, parseNetworks(config.webhookAllowCidrs));
  if (refusal === null && new URL(url).pathname.toUpperCase().endsWith(MASKED_PATH))
    throw new AppError('request.invalid', {
      message: 'url ends in “/…”, as addresses are shown to viewers. Send the whole address.',
    });
  if (refusal === null) return;
  const remedy =
    refusal === NOT_PUBLIC ? ' Whoever runs the service allows networks with WEBHOOK_ALLOW_CIDRS.' : '';
  throw new AppError('request.invalid', { message: `url ${refusal}.${remedy}` });
}

/** The audit entry of a change. Test keys see the changes made with test keys. */
export function webhookChange(
  actor: Actor,
  recordId: string,
  change: Pick<Change, 'action' | 'fields' | 'about'>,
): Change {
  const sandbox = toFlag(actor.mode === 'test');
  return { appId: actor.appId, by: authorOf(actor), recordId, sandbox, ...change };
}
