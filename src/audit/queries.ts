import { sql } from 'kysely';
import { DAY_MS, LATEST_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type AuditLogTable, type Db, listInStretches } from '../platform/db/index.ts';
import { leastIdAt } from '../platform/ids.ts';

export type AuditEntry = AuditLogTable;

/** Written in the transaction of what they tell of. */
export async function insertAuditEntries(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0)
    await db
      .insertInto('audit_log')
      .values(entries)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Newest first; of those before an entry or a time where one is given. */
export async function listAuditEntries(
  db: Db,
  appId: string,
  page: { sandboxOnly: boolean; beforeId: string | null; beforeTime: string | null; limit: number },
): Promise<AuditEntry[]> {
  const entries = (before: string | null) => {
    const ofApp = db.selectFrom('audit_log').where('app_id', '=', appId).orderBy('id', 'desc');
    return before === null ? ofApp : ofApp.where('id', '<', before);
  };
  return await listInStretches(
    { before: page.beforeId ?? firstIdAfter(page.beforeTime), limit: page.limit },
    (before, rows) => entries(before).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ fromId, beforeId, most }) =>
      entries(beforeId)
        .selectAll()
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .$if(page.sandboxOnly, (query) => query.where('sandbox', '=', 1))
        .$if(page.beforeTime !== null, (query) => query.where('created_at', '<', page.beforeTime ?? ''))
        .limit(most)
        .execute(),
  );
}

/** Identifiers carry the time of making; clocks that differ are nearer than a day. */
function firstIdAfter(time: string | null): string | null {
  return time === null ? null : leastIdAt(Math.min(Date.parse(time) + DAY_MS, LATEST_MS));
}

/**
 * Deletes some of an app's entries of one kind that were made before, the oldest first.
 * @returns how many: none when none is left.
 */
export async function deleteOldAuditEntries(
  { db, store }: Ctx,
  appId: string,
  { action, beforeMs, limit }: { action: string; beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('audit_log')
    .select('id')
    .where('app_id', '=', appId)
    // Written into the statement: only so do the databases see that the index of these covers it.
    .where('action', '=', sql.lit(action))
    .where('id', '<', leastIdAt(beforeMs))
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('audit_log')
    .where('app_id', '=', appId)
    .where(store.isAmong('id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
