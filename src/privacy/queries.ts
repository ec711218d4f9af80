import type { Ctx } from '../platform/ctx.ts';
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

/** A pending request with its place in its app's queue, from 1. */
export type PendingErasure = ErasureRequest & { readonly turn: number };

/**
 * Pending requests of all apps: the oldest of each app first, then the second oldest of each, and so on.
 * @param where `without` lists ids to leave out.
 */
export async function listPendingErasures(
  { db, store }: Pick<Ctx, 'db' | 'store'>,
  { without, limit }: { without: readonly string[]; limit: number },
): Promise<PendingErasure[]> {
  const pending = db
    .selectFrom('erasure_requests')
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('app_id').orderBy('requested_at').orderBy('id'))
        .as('turn'),
    )
    .where('completed_at', 'is', null)
    .where(({ not }) => not(store.isAmong('id', without)));
  return await db
    .selectFrom(pending.as('pending'))
    .selectAll()
    .orderBy('turn')
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
