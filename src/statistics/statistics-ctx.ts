import type { KeyRing } from '../apps/index.ts';
import type { Ctx } from '../platform/ctx.ts';

/** What this room is given. Of the click log it knows no more than when clicks are counted. */
export type StatisticsCtx = Ctx & {
  readonly keyRing: KeyRing;
  readonly clickLog: { applied(): Promise<void> };
};
