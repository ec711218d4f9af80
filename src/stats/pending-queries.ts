/** The pending counts of all apps. */
import { type Db, isAmong, onEachNode } from '../db/index.ts';

/** But for those on a node that is away. */
export async function listAppsToFold(db: Db): Promise<string[]> {
  const { results } = await onEachNode(db, (ofApps) =>
    db
      .selectFrom('pending_counts')
      .select('app_id')
      .distinct()
      .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])))
      .execute(),
  );
  return results.flat().map(({ app_id }) => app_id);
}

/** Rows of all apps, but for those on a node that is away; at most `max`. */
export async function countPending(db: Db, max: number): Promise<number> {
  const { results } = await onEachNode(db, async (ofApps) => {
    const pending = db
      .selectFrom('pending_counts')
      .select('id')
      .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])))
      .limit(max);
    const { rows } = await db
      .selectFrom(pending.as('pending'))
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .executeTakeFirstOrThrow();
    return rows;
  });
  return Math.min(
    max,
    results.reduce((sum, rows) => sum + rows, 0),
  );
}
