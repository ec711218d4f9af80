import type { AppDirectory } from '../apps/index.ts';
import type { ClickLog } from '../clicks/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { KnowledgeBase } from './knowledge-base.ts';

/** What the verbs of this room are given. */
export type AttributionCtx = Ctx & {
  readonly appDirectory: AppDirectory;
  readonly clickLog: ClickLog;
  readonly knowledgeBase: KnowledgeBase;
};
