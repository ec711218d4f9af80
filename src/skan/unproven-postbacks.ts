import type { Ctx } from '../platform/ctx.ts';
import { deletePostbacks, findUnprovenAt, listOldestUnproven } from './queries.ts';

/**
 * So many are kept in the whole service, the newest. A row takes at most 2 KB with its indexes, so they take 10 MB, also
 * while eight processes have a trim before them.
 */
const MAX_UNPROVEN = 4_000;
const TRIM_AFTER = 100;
/** More than come between two trims, so that a backlog shrinks. */
const TRIMMED_AT_ONCE = 1_000;

/** Bounds how many unproven postbacks are kept. */
export interface UnprovenPostbacks {
  /** To be called after one was stored: now and then it deletes the oldest. */
  stored(): Promise<void>;
}

export function createUnprovenPostbacks(ctx: Ctx): UnprovenPostbacks {
  let storedSinceTrim = 0;
  return {
    async stored() {
      storedSinceTrim += 1;
      if (storedSinceTrim < TRIM_AFTER) return;
      storedSinceTrim = 0;
      // The postback is stored whatever becomes of the trim, and its sender must not send it again.
      await trimUnproven(ctx).catch((error: unknown) =>
        ctx.log.warn({ err: error }, 'Failed to delete the oldest unproven postbacks; will retry'),
      );
    },
  };
}

async function trimUnproven(ctx: Ctx): Promise<void> {
  const lastId = await findUnprovenAt(ctx.db, MAX_UNPROVEN);
  if (lastId === undefined) return;
  const oldest = await listOldestUnproven(ctx.db, { lastId, limit: TRIMMED_AT_ONCE });
  for (const [appId, postbacks] of Map.groupBy(oldest, (postback) => postback.app_id)) {
    const ids = postbacks.map(({ id }) => id);
    await deletePostbacks(ctx, appId, ids);
  }
}
