import { LRUCache } from 'lru-cache';
import { isShared } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { type Cache, createCache } from '../lib/cache.ts';
import { coalesce } from '../lib/coalesce.ts';
import { listWebhooks } from './queries.ts';
import type { TemplateConfig, TemplateId } from './templates/index.ts';
import { templateOf, type WebhookRow } from './webhook.ts';

/** An enabled webhook, as publishing needs it. */
export interface Subscription {
  readonly webhookId: string;
  /** Empty means all. */
  readonly events: readonly string[];
  readonly isSandboxOnly: boolean;
  readonly template: TemplateId | null;
  readonly templateConfig: TemplateConfig;
}

/** Subscriptions by app id. Never stale: an event is published once, when it happens. */
export type Subscriptions = Cache<readonly Subscription[]>;

/** Cached if no other process can change them, else read for each event. */
export function createSubscriptions({ db, clock }: Pick<Foundation, 'db' | 'clock'>): Subscriptions {
  const read = async (appId: string) => {
    const webhooks = await listWebhooks(db, appId);
    return webhooks.filter(({ enabled }) => enabled === 1).map(toSubscription);
  };
  return isShared(db) ? readUncached(read) : createCache(clock, read);
}

const MAX_APPS = 10_000;

/** Concurrent callers share a read that begins after they asked. */
function readUncached(read: (appId: string) => Promise<readonly Subscription[]>): Subscriptions {
  const rounds = new LRUCache<string, () => Promise<readonly Subscription[]>>({ max: MAX_APPS });
  return {
    async get(appId) {
      let readShared = rounds.get(appId);
      if (readShared === undefined) {
        readShared = coalesce(() => read(appId));
        rounds.set(appId, readShared);
      }
      return await readShared();
    },
    forget: () => undefined,
  };
}

/** Ignores `enabled`. Missing template options become null. */
export function toSubscription(webhook: WebhookRow): Subscription {
  const { id, events, template, template_config: config } = webhook;
  return {
    webhookId: id,
    events: JSON.parse(events) as string[],
    isSandboxOnly: webhook.sandbox_only === 1,
    template: template === null ? null : templateOf(template),
    templateConfig: { mentionText: null, accentColor: null, ...(config === null ? {} : JSON.parse(config)) },
  };
}
