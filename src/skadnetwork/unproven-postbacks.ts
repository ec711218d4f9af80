import type { Db } from '../db/index.ts';
import type { Foundation } from '../foundation.ts';
import { leastIdAt } from '../lib/ids.ts';
import { deletePostbacks, findUnprovenAt, listOldestUnproven, UNPROVEN } from './queries.ts';

/** The newest of all apps are kept: at most 10 MB, also while eight processes are about to trim. */
const MAX_UNPROVEN = 4_000;
const TRIM_AFTER = 100;
/** More than arrive between two trims, so that a backlog shrinks. */
const TRIMMED_AT_ONCE = 1_000;

/** @returns a function to call after an unproven postback was stored: it sometimes deletes the oldest. */
export function createTrim({ db, log }: Pick<Foundation, 'db' | 'log'>): () => Promise<void> {
  let storedSinceTrim = 0;
  return async () => {
    storedSinceTrim += 1;
    if (storedSinceTrim < TRIM_AFTER) return;
    storedSinceTrim = 0;
    // The postback is stored already, so a failure must not make its sender repeat it.
    await trimUnproven(db).catch((error: unknown) =>
      log.warn({ err: error }, 'Failed to delete the oldest unproven postbacks; will retry'),
    );
  };
}

async function trimUnproven(db: Db): Promise<void> {
  const lastId = await findUnprovenAt(db, MAX_UNPROVEN);
  if (lastId === undefined) return;
  const oldest = await listOldestUnproven(db, { lastId, limit: TRIMMED_AT_ONCE });
  for (const [appId, postbacks] of Map.groupBy(oldest, (postback) => postback.app_id)) {
    const ids = postbacks.map(({ id }) => id);
    await deletePostbacks(db, appId, ids);
  }
}

/**
 * Deletes some of an app's unproven postbacks from before a time.
 * @returns the number deleted; 0 when none is left.
 */
export async function dropOldPostbacks(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('postbacks')
    .select('id')
    .where('app_id', '=', appId)
    .where(UNPROVEN)
    .where('id', '<', leastIdAt(beforeMs))
    .orderBy('id')
    .limit(limit);
  return await deletePostbacks(db, appId, old);
}
