import { LRUCache } from 'lru-cache';
import type { Ctx } from '../platform/ctx.ts';
import { type Remembered, remember } from '../platform/remember.ts';
import { inRounds } from '../platform/rounds.ts';
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

/** Who is to be told of an app's events, by the app's id. Never behind a change: what was not told is not told later. */
export type Subscriptions = Remembered<readonly Subscription[]>;

/** They are remembered where no other process can change them, and else read for each event. */
export function createSubscriptions(ctx: Ctx): Subscriptions {
  const read = async (appId: string) => {
    const webhooks = await listWebhooks(ctx.db, appId);
    return webhooks.filter(({ enabled }) => enabled === 1).map(toSubscription);
  };
  return ctx.store.isShared ? readAnew(read) : remember(ctx.clock, read);
}

const MAX_APPS = 10_000;

/** Another process may have changed them a moment ago. Those who ask at the same time share what is read. */
function readAnew(read: (appId: string) => Promise<readonly Subscription[]>): Subscriptions {
  const rounds = new LRUCache<string, () => Promise<readonly Subscription[]>>({ max: MAX_APPS });
  return {
    async get(appId) {
      let ask = rounds.get(appId);
      if (ask === undefined) {
        ask = inRounds(() => read(appId));
        rounds.set(appId, ask);
      }
      return await ask();
    },
    forget: () => undefined,
  };
}

/** Enabled or not. Options that were not given are null. */
export function toSubscription({ id, events, template, template_config: config }: WebhookRow): Subscription {
  return {
    webhookId: id,
    events: JSON.parse(events) as string[],
    template: template === null ? null : templateOf(template),
    templateConfig: { mentionText: null, accentColor: null, ...(config === null ? {} : JSON.parse(config)) },
  };
}
