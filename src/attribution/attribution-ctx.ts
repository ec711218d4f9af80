import type { AwaitingCtx, ClickLog } from '../clicks/index.ts';
import type { LinkDirectory } from '../links/index.ts';
import type { UnderWay } from '../platform/under-way.ts';
import type { PublishingCtx } from '../webhooks/index.ts';
import type { InstallBound } from './daily-bound.ts';

/** What the verbs of this room are given. */
export type AttributionCtx = PublishingCtx &
  AwaitingCtx & {
    readonly clickLog: ClickLog;
    readonly linkDirectory: LinkDirectory;
    readonly installBound: InstallBound;
    /** Installs and opens that are being recorded: an erasure waits for those that came before it. */
    readonly recordings: UnderWay;
  };
