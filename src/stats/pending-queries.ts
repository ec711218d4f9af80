/** Pending counts: of all apps, and taken from one to fold them. */
import { sql } from 'kysely';
import { type Db, isAmong, onEachNode, type Transaction } from '../db/index.ts';
import { decodePending, type Pending } from './pending.ts';

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

export async function hasPending(db: Db, appId: string): Promise<boolean> {
  const query = db.selectFrom('pending_counts').select('id').where('app_id', '=', appId).limit(1);
  return (await query.executeTakeFirst()) !== undefined;
}

/**
 * Deletes up to `rows` rows of pending counts, and no more than `bytes` of them but for the first.
 * @returns their counts, their bytes, and whether others were left.
 */
export async function takePending(
  tx: Transaction,
  appId: string,
  max: { rows: number; bytes: number },
): Promise<{ counts: Pending[]; bytes: number; hasMore: boolean }> {
  const pending = await tx
    .selectFrom('pending_counts')
    .select(['id', sql<number>`octet_length(facts)`.as('bytes')])
    .where('app_id', '=', appId)
    .limit(max.rows)
    .execute();
  let bytes = 0;
  const ids: string[] = [];
  for (const row of pending) {
    if (ids.length > 0 && bytes + Number(row.bytes) > max.bytes) break;
    bytes += Number(row.bytes);
    ids.push(row.id);
  }
  if (ids.length === 0) return { counts: [], bytes, hasMore: false };
  const rows = await tx
    .deleteFrom('pending_counts')
    .where('app_id', '=', appId)
    .where('id', 'in', ids)
    .returning('facts')
    .execute();
  const hasMore = ids.length < pending.length || pending.length === max.rows;
  return { counts: rows.flatMap(({ facts }) => decodePending(facts)), bytes, hasMore };
}
