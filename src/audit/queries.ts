import { type Expression, type SqlBool, sql } from 'kysely';
import { DAY_MS, LATEST_MS } from '../platform/clock.ts';
import type { Ctx } from '../platform/ctx.ts';
import { type AuditLogTable, type Db, listInStretches } from '../platform/db/index.ts';
import { leastIdAt } from '../platform/ids.ts';
import { KEY_ACTIONS } from './change.ts';

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

/** For `store.commit`, or to be run in a transaction. */
export function insertAuditEntry(db: Db, entry: AuditEntry) {
  return db.insertInto('audit_log').values(entry).returning('id');
}

/** Newest first; of those before an entry or a time where one is given. */
export async function listAuditEntries(
  db: Db,
  appId: string,
  page: {
    action: string | null;
    sandboxOnly: boolean;
    beforeId: string | null;
    beforeTime: string | null;
    limit: number;
  },
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
        .$if(page.action !== null, (query) => query.where('action', '=', page.action ?? ''))
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
  ctx: Ctx,
  appId: string,
  { action, ...old }: { action: string; beforeMs: number; limit: number },
): Promise<number> {
  return await deleteOld(ctx, appId, sql<SqlBool>`action = ${sql.lit(action)}`, old);
}

/**
 * Deletes some of an app's entries on changes that its keys made before, the oldest first.
 * @returns how many: none when none is left.
 */
export async function deleteOldChanges(
  ctx: Ctx,
  appId: string,
  old: { beforeMs: number; limit: number },
): Promise<number> {
  const actions = KEY_ACTIONS.map((action) => sql.lit(action));
  return await deleteOld(ctx, appId, sql<SqlBool>`action in (${sql.join(actions)})`, old);
}

/** @param which written out: only then do the databases see that a partial index covers the statement. */
async function deleteOld(
  { db, store }: Ctx,
  appId: string,
  which: Expression<SqlBool>,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('audit_log')
    .select('id')
    .where('app_id', '=', appId)
    .where(which)
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
