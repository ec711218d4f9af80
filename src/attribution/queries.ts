import { type Actor, canSee } from '../auth/index.ts';
import type { Db, InstallsTable, OpensTable } from '../db/index.ts';
import { isUuid } from '../lib/ids.ts';
import type { RecordPage } from '../personal-data.ts';

export type InstallRow = InstallsTable;
export type OpenRow = OpensTable;

/** Does not check whether the caller may see the install. */
async function findInstall(db: Db, appId: string, installId: string): Promise<InstallRow | undefined> {
  return await db
    .selectFrom('installs')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', installId)
    .executeTakeFirst();
}

/** @param installId in any case; need not be a UUID. */
export async function findVisibleInstall(
  db: Db,
  actor: Actor,
  installId: string,
): Promise<InstallRow | undefined> {
  if (!isUuid(installId)) return undefined;
  const install = await findInstall(db, actor.appId, installId.toLowerCase());
  return install !== undefined && canSee(actor, install) ? install : undefined;
}

/** The columns that events and counts of an install need. */
export const SUMMARY_COLUMNS = [
  'app_id',
  'id',
  'sandbox',
  'user_id',
  'platform',
  'attribution_method',
  'link_id',
  'campaign_id',
  'country',
  'referrer',
  'utm',
  'installed_at',
  'last_open',
  'active_days',
  'existing_user',
  'erased',
] as const;

/** In no particular order, without unknown IDs. */
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

/** For `store.commit`: fails if the install has another user, or was deleted. */
export function installIsOf(db: Db, { app_id, id }: Pick<InstallRow, 'app_id' | 'id'>, userId: string) {
  return db
    .selectFrom('installs')
    .select('id')
    .where('app_id', '=', app_id)
    .where('id', '=', id)
    .where('user_id', '=', userId);
}

/** Newest first. */
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

/** Changes no row if the ID exists. */
export function insertInstall(db: Db, install: InstallsTable) {
  return db
    .insertInto('installs')
    .values(install)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

/** Replaces the user of an install; stored events keep theirs. */
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

/** Does not check whether the caller may see the open. */
export async function findOpen(db: Db, appId: string, openId: string): Promise<OpenRow | undefined> {
  return await db
    .selectFrom('opens')
    .selectAll()
    .where('app_id', '=', appId)
    .where('id', '=', openId)
    .executeTakeFirst();
}

/** Changes no row if the ID exists. */
export function insertOpen(db: Db, open: OpensTable) {
  return db
    .insertInto('opens')
    .values(open)
    .onConflict((conflict) => conflict.doNothing())
    .returning('id');
}

/** In no particular order, without unknown IDs. */
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

/** Installs of a user or an address, in order of ID. */
export async function listInstallsOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: RecordPage<'user_id' | 'ip_hash'>,
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

/** Opens of a user, an install or an address, in order of ID. */
export async function listOpensOf(
  db: Db,
  appId: string,
  { column, value, after, limit }: RecordPage<'user_id' | 'install_id' | 'ip_hash'>,
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

/** Lists the given installs that have opens of another user. */
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
