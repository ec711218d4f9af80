import { DAY_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { deleteOldChanges } from './queries.ts';

/** For this long, a team that makes a million links has 0.6 GB of entries on them. */
const CHANGES_KEPT_DAYS = 365;

/**
 * Drops some of an app's entries on changes that its keys made, once they are old. Changes by the operator stay.
 * @returns how many: none when none is left.
 */
export async function dropOldChanges(ctx: Ctx, appId: string, limit: number): Promise<number> {
  const beforeMs = ctx.clock.nowMs() - CHANGES_KEPT_DAYS * DAY_MS;
  return await deleteOldChanges(ctx, appId, { beforeMs, limit });
}
