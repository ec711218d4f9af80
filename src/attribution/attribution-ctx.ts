import type { ClickLog, JournalFlushes } from '../clicks/index.ts';
import type { LinkDirectory } from '../links/index.ts';
import type { PublishingCtx } from '../webhooks/index.ts';
import type { KnowledgeBase } from './knowledge-base.ts';

/** What the verbs of this room are given. */
export type AttributionCtx = PublishingCtx & {
  readonly clickLog: ClickLog;
  readonly journalFlushes: Pick<JournalFlushes, 'lastOutage'>;
  readonly linkDirectory: LinkDirectory;
  readonly knowledgeBase: KnowledgeBase;
};
