import type { Selectable } from 'kysely';
import type { Db, Transaction, WatchedHostsTable } from '../db/index.ts';
import type { KnownCheck } from './advance.ts';

export type HostRow = Selectable<WatchedHostsTable>;

export function checksOf({ checks }: Pick<HostRow, 'checks'>): KnownCheck[] {
  return JSON.parse(checks) as KnownCheck[];
}

/** Whether a request from here to the host ever arrived here. */
export function wasReached(checks: readonly KnownCheck[]): boolean {
  return checks.some(({ check, wasOk }) => check === 'dns' && wasOk);
}

export async function findHost(db: Db, appId: string, host: string): Promise<HostRow | undefined> {
  return await db
    .selectFrom('watched_hosts')
    .selectAll()
    .where('app_id', '=', appId)
    .where('host', '=', host)
    .executeTakeFirst();
}

/** Of all apps. */
export async function listHostRows(db: Db): Promise<HostRow[]> {
  return await db.selectFrom('watched_hosts').selectAll().execute();
}

/** Of all apps, without what was found. */
export async function listLookTimes(db: Db): Promise<Pick<HostRow, 'app_id' | 'host' | 'next_look_at'>[]> {
  return await db.selectFrom('watched_hosts').select(['app_id', 'host', 'next_look_at']).execute();
}

/** Makes the row if there is none, and keeps other processes from it until the transaction ends. */
export async function lockHost(
  tx: Transaction,
  row: Pick<HostRow, 'app_id' | 'host' | 'next_look_at'>,
): Promise<HostRow> {
  return await tx
    .insertInto('watched_hosts')
    .values({ ...row, looked_at: null, certificate_ends_at: null, checks: '[]' })
    .onConflict((conflict) =>
      conflict.columns(['app_id', 'host']).doUpdateSet({ next_look_at: row.next_look_at }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function updateHost(tx: Transaction, { app_id, host, ...changes }: HostRow): Promise<void> {
  await tx
    .updateTable('watched_hosts')
    .set(changes)
    .where('app_id', '=', app_id)
    .where('host', '=', host)
    .execute();
}

/** Those that an app had before. */
export async function deleteOtherHosts(db: Db, appId: string, host: string): Promise<void> {
  await db.deleteFrom('watched_hosts').where('app_id', '=', appId).where('host', '<>', host).execute();
}

/** For hosts that were never looked at. */
export async function insertHosts(
  db: Db,
  rows: readonly Pick<HostRow, 'app_id' | 'host' | 'next_look_at'>[],
): Promise<void> {
  for (const row of rows)
    await db
      .insertInto('watched_hosts')
      .values({ ...row, looked_at: null, certificate_ends_at: null, checks: '[]' })
      .onConflict((conflict) => conflict.columns(['app_id', 'host']).doNothing())
      .execute();
}
