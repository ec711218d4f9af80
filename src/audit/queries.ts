import { type Expression, type SqlBool, sql } from 'kysely';
import { type AuditLogTable, type Db, isAmong, onEachNode } from '../db/index.ts';
import { leastIdAt } from '../lib/ids.ts';
import { KEY_ACTIONS } from './actions.ts';

export type AuditEntry = AuditLogTable;

/** Ignores entries that are already stored. */
export async function insertAuditEntries(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0)
    await db
      .insertInto('audit_log')
      .values(entries)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export async function replaceAuditDetails(
  db: Db,
  { appId, entryId, details }: { appId: string; entryId: string; details: string },
): Promise<void> {
  await db
    .updateTable('audit_log')
    .set({ details })
    .where('app_id', '=', appId)
    .where('id', '=', entryId)
    .execute();
}

/** Of all apps, but for those on a node that is away; since a time, at most `max`. */
export async function countAbandonedDeliveries(db: Db, sinceMs: number, max: number): Promise<number> {
  const { results } = await onEachNode(db, async (ofApps) => {
    const abandoned = db
      .selectFrom('audit_log')
      .select('id')
      // A literal, as in the condition of the index.
      .where(sql<SqlBool>`action = 'webhook.delivery_failed'`)
      .where('id', '>=', leastIdAt(sinceMs))
      .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])))
      .limit(max);
    const { entries } = await db
      .selectFrom(abandoned.as('abandoned'))
      .select(({ fn }) => fn.countAll<number>().as('entries'))
      .executeTakeFirstOrThrow();
    return entries;
  });
  return Math.min(
    max,
    results.reduce((sum, entries) => sum + entries, 0),
  );
}

/** Deletes the oldest entries of one action, at most `limit`. @returns the number deleted. */
export async function deleteOldAuditEntries(
  db: Db,
  appId: string,
  { action, ...old }: { action: string; beforeMs: number; limit: number },
): Promise<number> {
  return await deleteOld(db, appId, sql<SqlBool>`action = ${sql.lit(action)}`, old);
}

/** Deletes the oldest entries of changes with secret keys, at most `limit`. @returns the number deleted. */
export async function deleteOldChanges(
  db: Db,
  appId: string,
  old: { beforeMs: number; limit: number },
): Promise<number> {
  const actions = KEY_ACTIONS.map((action) => sql.lit(action));
  return await deleteOld(db, appId, sql<SqlBool>`action in (${sql.join(actions)})`, old);
}

/** @param condition with literals: with parameters the databases do not use the partial index. */
async function deleteOld(
  db: Db,
  appId: string,
  condition: Expression<SqlBool>,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = db
    .selectFrom('audit_log')
    .select('id')
    .where('app_id', '=', appId)
    .where(condition)
    .where('id', '<', leastIdAt(beforeMs))
    .orderBy('id')
    .limit(limit);
  const { numDeletedRows } = await db
    .deleteFrom('audit_log')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', old))
    .executeTakeFirstOrThrow();
  return Number(numDeletedRows);
}
