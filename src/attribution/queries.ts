import type { Db, InstallsTable, OpensTable } from '../platform/db/index.ts';

export type InstallRow = InstallsTable;
export type OpenRow = OpensTable;

export async function findInstall(db: Db, appId: string, installId: string): Promise<InstallRow | undefined> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .executeTakeFirst();
}

export async function listInstalls(
  db: Db,
  appId: string,
  installIds: readonly string[],
): Promise<Pick<InstallRow, 'app_id' | 'id' | 'sandbox' | 'user_id' | 'platform'>[]> {
  if (installIds.length === 0) return [];
  return await db
    .selectFrom('installs')
    .select(['app_id', 'id', 'sandbox', 'user_id', 'platform'])
    .where('app_id', '=', appId)
    .where('id', 'in', installIds)
    .execute();
}

/** The newest first. */
export async function listNewestInstalls(db: Db, appId: string, limit: number): Promise<InstallRow[]> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .orderBy('installed_at', 'desc')
    .limit(limit)
    .execute();
}

/** An install's opens, the newest first. */
export async function listOpensOfInstall(
  db: Db,
  appId: string,
  installId: string,
  limit: number,
): Promise<OpenRow[]> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where('install_id', '=', installId)
    .orderBy('opened_at', 'desc')
    .limit(limit)
    .execute();
}

/** Changes no row when an install with this id was recorded before. */
export function insertInstall(db: Db, install: InstallsTable) {
  return db
    .insertInto('installs')
    .values(install)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

export async function updateInstallUser(
  db: Db,
  appId: string,
  installId: string,
  userId: string,
): Promise<void> {
  await db
    .updateTable('installs')
    .set({ user_id: userId })
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .execute();
}

export async function findOpen(db: Db, appId: string, openId: string): Promise<OpenRow | undefined> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', openId)
    .executeTakeFirst();
}

/** Changes no row when an open with this id was recorded before. */
export function insertOpen(db: Db, open: OpensTable) {
  return db
    .insertInto('opens')
    .values(open)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}
