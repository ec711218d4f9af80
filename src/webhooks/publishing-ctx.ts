import type { AppDirectory } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';
import type { Courier } from './delivery/index.ts';
import type { Subscriptions } from './subscriptions.ts';

/** What those need whose events webhooks tell of. */
export type PublishingCtx = Ctx & {
  readonly appDirectory: AppDirectory;
  readonly subscriptions: Subscriptions;
  readonly courier: Courier;
};
