import { LRUCache } from 'lru-cache';
import type { Ctx } from '../platform/ctx.ts';
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

/** Who is to be told of an app's events; it is asked with every install, open and event. */
export interface Subscriptions {
  /** At most a second behind a change on another node. */
  of(appId: string): Promise<readonly Subscription[]>;
  /** A change made by this process is seen here at once. */
  forget(appId: string): void;
}

/** A change made elsewhere is seen after this at the latest. */
const TRUST_MS = 800;
const MAX_REMEMBERED = 10_000;

export function createSubscriptions(ctx: Ctx): Subscriptions {
  const known = new LRUCache<string, { subscriptions: readonly Subscription[]; readAtMs: number }>({
    max: MAX_REMEMBERED,
  });
  /** Counts what was forgotten: a read that began before must not bring it back. */
  let changes = 0;
  return {
    async of(appId) {
      const entry = known.get(appId);
      if (entry !== undefined && ctx.clock.nowMs() - entry.readAtMs <= TRUST_MS) return entry.subscriptions;
      const readAtMs = ctx.clock.nowMs();
      const changesBefore = changes;
      const webhooks = await listWebhooks(ctx.db, appId);
      const subscriptions = webhooks.filter(({ enabled }) => enabled === 1).map(toSubscription);
      if (changes === changesBefore) known.set(appId, { subscriptions, readAtMs });
      return subscriptions;
    },
    forget(appId) {
      changes += 1;
      known.delete(appId);
    },
  };
}

export function toSubscription({ id, events, template, template_config: config }: WebhookRow): Subscription {
  return {
    webhookId: id,
    events: JSON.parse(events) as string[],
    template: template === null ? null : templateOf(template),
    templateConfig: { mentionText: null, accentColor: null, ...(config === null ? {} : JSON.parse(config)) },
  };
}
