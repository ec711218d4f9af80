import type { Ctx } from '../platform/ctx.ts';
import { type Remembered, remember } from '../platform/remember.ts';
import { listWebhooks } from './queries.ts';
import type { TemplateConfig, TemplateId } from './templates/index.ts';
import { templateOf, type WebhookRow } from './webhook.ts';

/** An enabled webhook, as far as an event must know it. */
export interface Subscription {
  readonly webhookId: string;
  /** Empty means all. */
  readonly events: readonly string[];
  readonly template: TemplateId | null;
  readonly templateConfig: TemplateConfig;
}

/** Who is to be told of an app's events, by the app's id. */
export type Subscriptions = Remembered<readonly Subscription[]>;

export function createSubscriptions(ctx: Ctx): Subscriptions {
  return remember(ctx.clock, async (appId) => {
    const webhooks = await listWebhooks(ctx.db, appId);
    return webhooks.filter(({ enabled }) => enabled === 1).map(toSubscription);
  });
}

export function toSubscription({ id, events, template, template_config: config }: WebhookRow): Subscription {
  return {
    webhookId: id,
    events: JSON.parse(events) as string[],
    template: template === null ? null : templateOf(template),
    templateConfig: { mentionText: null, accentColor: null, ...(config === null ? {} : JSON.parse(config)) },
  };
}
