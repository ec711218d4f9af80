import type { Selectable } from 'kysely';
import {
  type Db,
  type ErasureIdentifiersTable,
  type ErasureRequestsTable,
  isAmong,
  onEachNode,
} from '../db/index.ts';
import { leastIdAt } from '../lib/ids.ts';
import type { Cursor } from '../server/cursor.ts';

export type ErasureRequest = Selectable<ErasureRequestsTable>;
export type ErasureIdentifier = ErasureIdentifiersTable;

/** @param requests at least one. */
export async function insertErasureRequests(db: Db, requests: readonly ErasureRequest[]): Promise<void> {
  await db.insertInto('erasure_requests').values(requests).execute();
}

/** Does not check `canSee`. */
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

interface ErasurePage {
  readonly sandboxOnly: boolean;
  readonly before: Cursor | null;
  readonly limit: number;
}

/** Newest first. */
export async function listErasureRequests(
  db: Db,
  appId: string,
  { sandboxOnly, before, limit }: ErasurePage,
): Promise<ErasureRequest[]> {
  const beforeId = before !== null && 'atMs' in before ? leastIdAt(before.atMs) : before?.id;
  return await db
    .selectFrom('erasure_requests')
    .selectAll()
    .where('app_id', '=', appId)
    .$if(sandboxOnly, (query) => query.where('sandbox', '=', 1))
    .$if(beforeId !== undefined, (query) => query.where('id', '<', beforeId ?? ''))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** A pending request with its position in its app's queue, from 1. */
export type PendingErasure = ErasureRequest & { readonly position: number };

interface PendingPage {
  /** Ids of requests to leave out. */
  readonly without: readonly string[];
  readonly limit: number;
}

/**
 * Pending requests: the oldest of each app first, then the second oldest of each.
 * @returns also the error of a node of a cluster that is away, whose requests are missing; null if there is none.
 */
export async function listPendingErasures(
  db: Db,
  page: PendingPage,
): Promise<{ requests: PendingErasure[]; away: unknown }> {
  const { results, away } = await onEachNode(db, (ofApps) => pendingOf(db, ofApps, page));
  const requests = results
    .flat()
    .sort((a, b) => a.position - b.position || (a.requested_at < b.requested_at ? -1 : 1))
    .slice(0, page.limit);
  return { requests, away };
}

async function pendingOf(
  db: Db,
  ofApps: readonly string[] | null,
  { without, limit }: PendingPage,
): Promise<PendingErasure[]> {
  const pending = db
    .selectFrom('erasure_requests')
    .selectAll()
    .select(({ fn }) =>
      fn
        .agg<number>('row_number')
        .over((over) => over.partitionBy('app_id').orderBy('requested_at').orderBy('id'))
        .as('position'),
    )
    .where('completed_at', 'is', null)
    .where(({ not }) => not(isAmong(db, 'id', without)))
    .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])));
  return await db
    .selectFrom(pending.as('pending'))
    .selectAll()
    .orderBy('position')
    .orderBy('requested_at')
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Across apps, but for those on a node that is away: erasures that are not complete, and when the first was requested. */
export async function countPendingErasures(
  db: Db,
): Promise<{ requests: number; firstRequestedAt: string | null }> {
  const { results } = await onEachNode(
    db,
    async (ofApps) =>
      await db
        .selectFrom('erasure_requests')
        .select(({ fn }) => [
          fn.countAll<number>().as('requests'),
          fn.min<string | null>('requested_at').as('firstRequestedAt'),
        ])
        .where('completed_at', 'is', null)
        .$if(ofApps !== null, (query) => query.where(isAmong(db, 'app_id', ofApps ?? [])))
        .executeTakeFirstOrThrow(),
  );
  const first = results.flatMap(({ firstRequestedAt }) => firstRequestedAt ?? []).sort()[0];
  return {
    requests: results.reduce((sum, { requests }) => sum + requests, 0),
    firstRequestedAt: first ?? null,
  };
}

/** @throws if another process has scrubbed the last record: no personal data may be stored any more. */
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
    .executeTakeFirstOrThrow(() => new Error('Another process has finished this erasure'));
}

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

/** Ignores identifiers that exist. */
export async function insertErasureIdentifiers(
  db: Db,
  identifiers: readonly ErasureIdentifier[],
): Promise<void> {
  if (identifiers.length > 0)
    await db
      .insertInto('erasure_identifiers')
      .values(identifiers)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
}

export async function listErasureIdentifiers(
  db: Db,
  appId: string,
  requestId: string,
): Promise<ErasureIdentifier[]> {
  return await db
    .selectFrom('erasure_identifiers')
    .selectAll()
    .where('app_id', '=', appId)
    .where('request_id', '=', requestId)
    .execute();
}

export async function deleteErasureIdentifiers(db: Db, appId: string, requestId: string): Promise<void> {
  await db
    .deleteFrom('erasure_identifiers')
    .where('app_id', '=', appId)
    .where('request_id', '=', requestId)
    .execute();
}
