import { sql } from 'kysely';
import {
  type Db,
  type Flag,
  insertRows,
  isAmong,
  type RevenuecatWaitingTable,
  type Transaction,
  type Write,
} from '../db/index.ts';
import { isoTime } from '../lib/clock.ts';

export type WaitingRow = RevenuecatWaitingTable;

/** Counts an event that was received. @param isDropped whether it is never recorded. */
export async function countKind(
  db: Db,
  appId: string,
  { kind, receivedAt, isDropped }: { kind: string; receivedAt: string; isDropped: boolean },
): Promise<void> {
  const dropped = isDropped ? 1 : 0;
  await db
    .insertInto('revenuecat_kinds')
    .values({ app_id: appId, kind, received: 1, dropped, received_at: receivedAt })
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'kind']).doUpdateSet({
        received: sql`revenuecat_kinds.received + 1`,
        dropped: sql`revenuecat_kinds.dropped + ${dropped}`,
        received_at: receivedAt,
      }),
    )
    .execute();
}

export async function listKinds(db: Db, appId: string) {
  return await db
    .selectFrom('revenuecat_kinds')
    .selectAll()
    .where('app_id', '=', appId)
    .orderBy('kind')
    .execute();
}

export async function countWaiting(
  db: Db,
  appId: string,
): Promise<{ events: number; oldestAt: string | null }> {
  return await db
    .selectFrom('revenuecat_waiting')
    .select(({ fn }) => [
      fn.countAll<number>().as('events'),
      fn.min<string | null>('received_at').as('oldestAt'),
    ])
    .where('app_id', '=', appId)
    .executeTakeFirstOrThrow();
}

/** For `store.commit`: fails if the event waits already. */
export async function insertWaiting(db: Db, row: WaitingRow, marks: readonly string[]): Promise<Write[]> {
  const users = marks.map((mark) => ({ app_id: row.app_id, mark, waiting_id: row.id }));
  return [
    ...(await insertRows(db, 'revenuecat_waiting', [row], { unlessStored: true })),
    ...(await insertRows(db, 'revenuecat_waiting_users', users)),
  ];
}

interface MarkedBy {
  readonly marks: readonly string[];
  readonly sandboxOnly?: boolean;
}

/** Oldest first. */
export async function listWaitingOf(
  db: Db,
  appId: string,
  { limit, ...markedBy }: MarkedBy & { readonly limit: number },
): Promise<WaitingRow[]> {
  const rows = await selectWaitingOf(db, appId, markedBy).selectAll().limit(limit).execute();
  // In SQL, the order would make SQLite read all that wait.
  return rows.sort((a, b) => (a.received_at < b.received_at ? -1 : 1));
}

export async function countWaitingOf(db: Db, appId: string, markedBy: MarkedBy): Promise<number> {
  const { events } = await selectWaitingOf(db, appId, markedBy)
    .select(({ fn }) => fn.countAll<number>().as('events'))
    .executeTakeFirstOrThrow();
  return events;
}

function selectWaitingOf(db: Db, appId: string, { marks, sandboxOnly = false }: MarkedBy) {
  return db
    .selectFrom('revenuecat_waiting')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'id', idsMarkedBy(db, appId, marks)))
    .$if(sandboxOnly, (query) => query.where('sandbox', '=', 1));
}

function idsMarkedBy(db: Db, appId: string, marks: readonly string[]) {
  return db
    .selectFrom('revenuecat_waiting_users')
    .select('waiting_id')
    .where('app_id', '=', appId)
    .where(isAmong(db, 'mark', marks));
}

/** A page of all that wait, by ID. */
export async function listWaiting(
  db: Db,
  appId: string,
  { after, limit }: { after: string | null; limit: number },
): Promise<WaitingRow[]> {
  return await db
    .selectFrom('revenuecat_waiting')
    .selectAll()
    .where('app_id', '=', appId)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Of a customer, and of an app, beside one that was just kept: those that make room, the oldest. */
export async function listExcess(
  db: Db,
  appId: string,
  { id, sandbox, marks, max, maxOfCustomer }: Room,
): Promise<string[]> {
  const others = db
    .selectFrom('revenuecat_waiting')
    .where('app_id', '=', appId)
    .where('sandbox', '=', sandbox)
    .where('id', '!=', id);
  const ofApp = await others
    .select('id')
    .orderBy('received_at', 'desc')
    .offset(max - 1)
    .limit(MAX_EXCESS)
    .execute();
  const ofCustomer = await others
    .select(['id', 'received_at'])
    .where(isAmong(db, 'id', idsMarkedBy(db, appId, marks)))
    .limit(max)
    .execute();
  // In SQL, the order would make SQLite read all that wait.
  const newestFirst = ofCustomer.sort((a, b) => (a.received_at > b.received_at ? -1 : 1));
  return [...ofApp, ...newestFirst.slice(maxOfCustomer - 1)].map((row) => row.id);
}

interface Room {
  /** What was just kept. */
  readonly id: string;
  readonly sandbox: Flag;
  readonly marks: readonly string[];
  readonly max: number;
  readonly maxOfCustomer: number;
}

/** At a time; further ones make room for the next. */
const MAX_EXCESS = 100;

/** Deletes events that were never recorded, and counts them. */
export async function dropWaiting(db: Db, appId: string, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  await db.transaction().execute(async (tx) => {
    const kinds = Map.groupBy(await deleteWaiting(tx, appId, ids), (kind) => kind);
    for (const kind of [...kinds.keys()].sort())
      await tx
        .updateTable('revenuecat_kinds')
        .set(({ eb }) => ({ dropped: eb('dropped', '+', kinds.get(kind)?.length ?? 0) }))
        .where('app_id', '=', appId)
        .where('kind', '=', kind)
        .execute();
  });
}

/** @returns the kinds of the deleted. */
export async function deleteWaiting(
  tx: Transaction,
  appId: string,
  ids: readonly string[],
): Promise<string[]> {
  await tx
    .deleteFrom('revenuecat_waiting_users')
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'waiting_id', ids))
    .execute();
  const deleted = await tx
    .deleteFrom('revenuecat_waiting')
    .where('app_id', '=', appId)
    .where(isAmong(tx, 'id', ids))
    .returning('kind')
    .execute();
  return deleted.map(({ kind }) => kind);
}

/** @returns the number of deleted events. */
export async function dropOldWaiting(
  db: Db,
  appId: string,
  { beforeMs, limit }: { beforeMs: number; limit: number },
): Promise<number> {
  const old = await db
    .selectFrom('revenuecat_waiting')
    .select('id')
    .where('app_id', '=', appId)
    .where('sandbox', 'in', [0, 1])
    .where('received_at', '<', isoTime(beforeMs))
    .limit(limit)
    .execute();
  await dropWaiting(
    db,
    appId,
    old.map(({ id }) => id),
  );
  return old.length;
}

export async function listAppsWithRevenueCat(db: Db): Promise<string[]> {
  const apps = await db.selectFrom('apps').select('id').where('revenuecat_key', 'is not', null).execute();
  return apps.map(({ id }) => id);
}
