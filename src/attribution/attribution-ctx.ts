import type { AwaitingCtx, ClickLog } from '../click-log/index.ts';
import type { InFlight } from '../lib/in-flight.ts';
import type { LinkDirectory } from '../links/index.ts';
import type { PublishingCtx } from '../webhooks/index.ts';
import type { InstallLimit } from './daily-limit.ts';

export type AttributionCtx = PublishingCtx &
  AwaitingCtx & {
    readonly clickLog: ClickLog;
    readonly linkDirectory: LinkDirectory;
    readonly installLimit: InstallLimit;
    /** Installs and opens being recorded: an erasure waits for those that started before it. */
    readonly recordings: InFlight;
  };
