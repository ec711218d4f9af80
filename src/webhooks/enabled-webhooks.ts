import { LRUCache } from 'lru-cache';
import { isShared } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { type Cache, createCache } from '../lib/cache.ts';
import { coalesce } from '../lib/coalesce.ts';
import type { Kind } from './attempts/index.ts';
import { type Choice, choiceOf } from './destinations/feed.ts';
import { listEnabledReceivers } from './queries.ts';
import type { TemplateConfig, TemplateId } from './templates/index.ts';
import { templateOf, type WebhookRow } from './webhook.ts';

/** How a webhook wants its messages. */
export interface Rendering {
  readonly template: TemplateId | null;
  readonly templateConfig: TemplateConfig;
}

/** An enabled webhook or destination, as publishing needs it. */
export interface EnabledWebhook extends Rendering, Choice {
  readonly webhookId: string;
  readonly kind: Kind;
}

/** Enabled webhooks and destinations by app id. Never stale: an event is published once, when it happens. */
export type EnabledWebhooks = Cache<readonly EnabledWebhook[]>;

/** Cached if no other process can change them, else read for each event. */
export function createEnabledWebhooks({ db, clock }: Pick<Foundation, 'db' | 'clock'>): EnabledWebhooks {
  const read = async (appId: string) => {
    return (await listEnabledReceivers(db, appId)).map(toEnabledWebhook);
  };
  return isShared(db) ? readUncached(read) : createCache(clock, read);
}

const MAX_APPS = 10_000;

/** Concurrent callers share a read that begins after they asked. */
function readUncached(read: (appId: string) => Promise<readonly EnabledWebhook[]>): EnabledWebhooks {
  const rounds = new LRUCache<string, () => Promise<readonly EnabledWebhook[]>>({ max: MAX_APPS });
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

export function toEnabledWebhook(webhook: WebhookRow): EnabledWebhook {
  return {
    webhookId: webhook.id,
    kind: webhook.kind as Kind,
    ...choiceOf(webhook),
    ...renderingOf(webhook),
  };
}

/** Missing template options become null. */
export function renderingOf({ template, template_config: config }: WebhookRow): Rendering {
  return {
    template: template === null ? null : templateOf(template),
    templateConfig: { mentionText: null, accentColor: null, ...(config === null ? {} : JSON.parse(config)) },
  };
}
