import { type Expression, type SqlBool, sql } from 'kysely';
import { type AuditLogTable, type Db, isAmong, listInRanges, onEachNode } from '../db/index.ts';
import { DAY_MS, LATEST_MS } from '../lib/clock.ts';
import { leastIdAt } from '../lib/ids.ts';

export type AuditEntry = AuditLogTable;

/** Changes with a secret key or by an editor: as frequent as the rate limits allow, and deleted by age. */
export const KEY_ACTIONS = [
  'conversion_values.updated',
  'cost.deleted',
  'costs.updated',
  'installs.deleted',
  'link.created',
  'link.updated',
  'link.deleted',
  'webhook.created',
  'webhook.updated',
  'webhook.deleted',
] as const;

/** Ignores entries that are already stored. */
export async function insertAuditEntries(db: Db, entries: readonly AuditEntry[]): Promise<void> {
  if (entries.length > 0)
    await db
      .insertInto('audit_log')
      .values(entries)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** Literals, as in the condition and the expression of the index. */
const isOfLink = (shortCode: string) =>
  sql<SqlBool>`action in ('link.created', 'link.updated', 'link.deleted') and details ->> 'shortCode' = ${shortCode}`;

/** Newest first, optionally before an entry or a time. */
export async function listAuditEntries(
  db: Db,
  appId: string,
  page: {
    action: string | null;
    /** Changes of this link only. */
    shortCode: string | null;
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
  const matching = (before: string | null, limit: number) =>
    entries(before)
      .selectAll()
      .$if(page.action !== null, (query) => query.where('action', '=', page.action ?? ''))
      .$if(page.sandboxOnly, (query) => query.where('sandbox', '=', 1))
      .$if(page.beforeTime !== null, (query) => query.where('created_at', '<', page.beforeTime ?? ''))
      .limit(limit);
  const before = page.beforeId ?? firstIdAfter(page.beforeTime);
  if (page.shortCode !== null)
    return await matching(before, page.limit).where(isOfLink(page.shortCode)).execute();
  return await listInRanges(
    { before, limit: page.limit },
    (end, rows) => entries(end).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ fromId, beforeId, limit }) =>
      matching(beforeId, limit)
        .$if(fromId !== null, (query) => query.where('id', '>=', fromId ?? ''))
        .execute(),
  );
}

/** An upper bound by the time in the identifier; a day allows for clock differences between processes. */
function firstIdAfter(time: string | null): string | null {
  return time === null ? null : leastIdAt(Math.min(Date.parse(time) + DAY_MS, LATEST_MS));
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
