import type { WebhooksTable } from '../platform/db/index.ts';
import type { EventType } from './event-types.ts';
import { TEMPLATES, type TemplateConfig, type TemplateId } from './templates/index.ts';

export type WebhookRow = WebhooksTable;

/** What the contract calls the second template: whoever wrote it down may go on with it. */
const DISCORD_ALIAS = 'the service';

/** Names that are taken for a template, each returned as it was given. */
export const TEMPLATE_NAMES: readonly string[] = [...TEMPLATES.map(({ id }) => id), DISCORD_ALIAS];

/** @param name one of `TEMPLATE_NAMES`. */
export function templateOf(name: string): TemplateId {
  return name === DISCORD_ALIAS ? 'discord' : (name as TemplateId);
}

/** The options as they were given; what no template knows is not kept. */
export function configText({ mentionText, accentColor }: Partial<TemplateConfig>): string {
  return JSON.stringify({ mentionText, accentColor });
}

/** Whether events of this type go to a webhook. */
export function wants(webhook: { events: readonly string[] }, type: EventType): boolean {
  return webhook.events.length === 0 || webhook.events.includes(type);
}

/** Null in a request leaves a field as it is. */
export function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

/** What a webhook's secret is encrypted for. */
export function secretOwner({ app_id: appId, id }: Pick<WebhookRow, 'app_id' | 'id'>): string {
  return `webhook ${appId} ${id}`;
}
