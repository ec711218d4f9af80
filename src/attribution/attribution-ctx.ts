import type { AwaitingCtx, ClickLog } from '../clicks/index.ts';
import type { LinkDirectory } from '../links/index.ts';
import type { PublishingCtx } from '../webhooks/index.ts';
import type { KnowledgeBase } from './knowledge-base.ts';

/** What the verbs of this room are given. */
export type AttributionCtx = PublishingCtx &
  AwaitingCtx & {
    readonly clickLog: ClickLog;
    readonly linkDirectory: LinkDirectory;
    readonly knowledgeBase: KnowledgeBase;
  };
