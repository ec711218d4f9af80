import type { Db, ErasureRequestsTable, ErasureWaysTable } from '../platform/db/index.ts';

export type ErasureRequest = ErasureRequestsTable;
export type ErasureWay = ErasureWaysTable;

/** In the caller's transaction, with the audit log's entry. @param requests one at least. */
export async function insertErasureRequests(db: Db, requests: readonly ErasureRequest[]): Promise<void> {
  await db.insertInto('erasure_requests').values(requests).execute();
}

/** A sandbox one too: whoever asks for a caller asks `canSee` as well. */
export async function findErasureRequest(
  db: Db,
  appId: string,
  requestId: string,
): Promise<ErasureRequest | undefined> {
  return await db
    .selectFrom('erasure_requests')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', requestId)
    .executeTakeFirst();
}

/** Server's own: of all apps, those that have waited longest, of those that came after another where one is given. */
export async function listPendingErasures(
  db: Db,
  { after, limit }: { after: ErasureRequest | null; limit: number },
): Promise<ErasureRequest[]> {
  return await db
    .selectFrom('erasure_requests')
    .selectAll()
    .where('completed_at', 'is', null)
    .$if(after !== null, (query) =>
      query.where(({ eb, and, or }) => {
        const { requested_at: time = '', id = '' } = after ?? {};
        return or([eb('requested_at', '>', time), and([eb('requested_at', '=', time), eb('id', '>', id)])]);
      }),
    )
    .orderBy('requested_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** @throws where another process has scrubbed the last record meanwhile: nothing may be kept of the person any more. */
export async function updateErasureRequest(
  db: Db,
  { app_id, id }: Pick<ErasureRequest, 'app_id' | 'id'>,
  changes: Partial<ErasureRequest>,
): Promise<void> {
  await db
    .updateTable('erasure_requests')
    .set(changes)
    .where('app_id', '=', app_id)
    .where('id', '=', id)
    .where('scrubbed_at', 'is', null)
    .returning('id')
    .executeTakeFirstOrThrow(() => new Error('another process has finished this erasure'));
}

/** The last step: the row forgot whom it was about when the last record was scrubbed. */
export async function completeErasureRequest(
  db: Db,
  { app_id, id }: Pick<ErasureRequest, 'app_id' | 'id'>,
  completed_at: string,
): Promise<void> {
  await db
    .updateTable('erasure_requests')
    .set({ completed_at })
    .where('app_id', '=', app_id)
    .where('id', '=', id)
    .execute();
}

/** In the caller's transaction; ways that are there already are passed over. */
export async function insertErasureWays(db: Db, ways: readonly ErasureWay[]): Promise<void> {
  if (ways.length > 0)
    await db
      .insertInto('erasure_ways')
      .values(ways)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

/** All ways of a request, in no order. */
export async function listErasureWays(db: Db, appId: string, requestId: string): Promise<ErasureWay[]> {
  return await db
    .selectFrom('erasure_ways')
    .selectAll()
    .where('app_id', '=', appId)
    .where('request_id', '=', requestId)
    .execute();
}

/** In the transaction in which the request forgets whom it was about. */
export async function deleteErasureWays(db: Db, appId: string, requestId: string): Promise<void> {
  await db
    .deleteFrom('erasure_ways')
    .where('app_id', '=', appId)
    .where('request_id', '=', requestId)
    .execute();
}
