import type { AuditLogTable, Db } from '../platform/db/index.ts';

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
  return await db
    .selectFrom('audit_log')
    .selectAll()
    .where('app_id', '=', appId)
    .$if(page.sandboxOnly, (query) => query.where('sandbox', '=', 1))
    .$if(page.beforeId !== null, (query) => query.where('id', '<', page.beforeId ?? ''))
    .$if(page.beforeTime !== null, (query) => query.where('created_at', '<', page.beforeTime ?? ''))
    .orderBy('id', 'desc')
    .limit(page.limit)
    .execute();
}
