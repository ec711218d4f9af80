import { type AuditLogTable, type Db, listInStretches } from '../platform/db/index.ts';

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
    { before: page.beforeId, limit: page.limit },
    (before, rows) => entries(before).select('id').offset(rows).limit(1).executeTakeFirst(),
    ({ from, before, limit }) =>
      entries(before)
        .selectAll()
        .$if(from !== null, (query) => query.where('id', '>=', from ?? ''))
        .$if(page.sandboxOnly, (query) => query.where('sandbox', '=', 1))
        .$if(page.beforeTime !== null, (query) => query.where('created_at', '<', page.beforeTime ?? ''))
        .limit(limit)
        .execute(),
  );
}
