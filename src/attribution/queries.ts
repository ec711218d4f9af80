import type { Db, InstallsTable, OpensTable } from '../platform/db/index.ts';
import type { WayPage } from '../platform/personal-data.ts';

export type InstallRow = InstallsTable;
export type OpenRow = OpensTable;

/** A sandbox one too: whoever asks for a caller asks `canSee` as well. */
export async function findInstall(db: Db, appId: string, installId: string): Promise<InstallRow | undefined> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .executeTakeFirst();
}

/** Whose an install is, and what its events are counted by. */
export const SUMMARY_COLUMNS = [
  'app_id',
  'id',
  'sandbox',
  'user_id',
  'platform',
  'attribution_method',
  'link_id',
  'campaign_id',
] as const;

/** Those of the ids that there are, in no order. */
export async function listInstalls(
  db: Db,
  appId: string,
  installIds: readonly string[],
): Promise<Pick<InstallRow, (typeof SUMMARY_COLUMNS)[number]>[]> {
  if (installIds.length === 0) return [];
  return await db
    .selectFrom('installs')
    .select(SUMMARY_COLUMNS)
    .where('app_id', '=', appId)
    .where('id', 'in', installIds)
    .execute();
}

/** For `store.commit`: a part that fails once the install is not this user's any more. */
export function installIsOf(db: Db, { app_id, id }: Pick<InstallRow, 'app_id' | 'id'>, userId: string) {
  return db
    .selectFrom('installs')
    .select('id')
    .where('app_id', '=', app_id)
    .where('id', '=', id)
    .where('user_id', '=', userId);
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

/** Takes the place of an earlier user. Events that are stored keep theirs. */
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

/** A sandbox one too: whoever asks for a caller asks `canSee` as well. */
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

/** Whole rows of those of the ids that there are, in no order. */
export async function listInstallRows(
  db: Db,
  appId: string,
  installIds: readonly string[],
): Promise<InstallRow[]> {
  if (installIds.length === 0) return [];
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', 'in', installIds)
    .execute();
}

/** Installs of a user or an address, by their id. */
export async function listInstallsOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: WayPage<'user_id' | 'ip_hash'>,
): Promise<InstallRow[]> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where(column, '=', value)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Opens of a user, an install or an address, by their id. */
export async function listOpensOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: WayPage<'user_id' | 'install_id' | 'ip_hash'>,
): Promise<OpenRow[]> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where(column, '=', value)
    .$if(after !== null, (query) => query.where('id', '>', after ?? ''))
    .orderBy('id')
    .limit(limit)
    .execute();
}

/** Whose opens are, as far as they say. */
export async function listOpenOwners(
  db: Db,
  appId: string,
  openIds: readonly string[],
): Promise<Pick<OpenRow, 'id' | 'user_id' | 'install_id'>[]> {
  if (openIds.length === 0) return [];
  return await db
    .selectFrom('opens')
    .select(['id', 'user_id', 'install_id'])
    .where('app_id', '=', appId)
    .where('id', 'in', openIds)
    .execute();
}

/** Those of some installs on which opens of another user were recorded. */
export async function listInstallsOpenedByOthers(
  db: Db,
  appId: string,
  installIds: readonly string[],
  userId: string,
): Promise<string[]> {
  if (installIds.length === 0) return [];
  const opens = await db
    .selectFrom('opens')
    .select('install_id')
    .distinct()
    .where('app_id', '=', appId)
    .where('install_id', 'in', installIds)
    .where('user_id', '!=', userId)
    .execute();
  return opens.flatMap(({ install_id }) => install_id ?? []);
}
